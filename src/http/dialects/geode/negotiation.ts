// Media types: those that Geode accepts and produces, and the Content-Type of its errors.

import type { IncomingHttpHeaders } from 'node:http';
import { accepts, parseRange } from '../../request/accept.ts';
import { JSON_TYPE } from '../../response/media-types.ts';
import { refuse } from './geode-error.ts';

export const GEODE_JSON = 'application/json;charset=utf-8';
const UTF8 = /^utf-?8$/i;

/** Throws unless the body is declared as JSON that we can read. */
export function requireJsonBody({ 'content-type': contentType = '' }: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice(8);
  const isUtf8 = charset === undefined || UTF8.test(charset.replaceAll('"', ''));
  if (type.toLowerCase() === JSON_TYPE && isUtf8) return;
  const shown = [type, ...parameters].join(';');
  throw refuse('request/unsupported-media-type', 500, `Content type '${shown}' not supported`);
}

/** Throws unless the client takes JSON. */
export function requireJsonAnswer({ accept }: IncomingHttpHeaders): void {
  if (accepts(accept, JSON_TYPE)) return;
  throw refuse('request/not-acceptable', 500, 'Could not find acceptable representation');
}

/** The first type that the client names: Geode labels even its JSON errors with it. */
export function errorContentType(accept: string | undefined): string {
  const named = (accept ?? '')
    .split(',')
    .map(parseRange)
    .filter(({ name }) => NAMED_TYPE.test(name))
    .sort((left, right) => right.quality - left.quality)[0]?.name;
  if (named === undefined) return JSON_TYPE;
  return named.startsWith('text/') ? `${named};charset=iso-8859-1` : named;
}

const NAMED_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
