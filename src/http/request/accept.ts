// The Accept header: the media types that a client accepts, and the one that an answer gets.

import { notAcceptable } from '../errors.ts';

/** Whether `Accept` includes a media type; an absent or empty header includes all. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (!accept || accept === '*/*' || accept === mediaType) return true;
  return findRange(accept, mediaType).quality > 0;
}

/**
 * The type that the client prefers. Among equals, a type that it names wins over a wildcard match,
 * then the type offered first.
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string {
  const [first = ''] = offered;
  if (!accept || accept === '*/*' || accept === first) return first;
  let best = { type: first, ...findRange(accept, first) };
  for (const type of offered) {
    const range = findRange(accept, type);
    const winsTie = range.quality === best.quality && range.specificity > best.specificity;
    if (range.quality > best.quality || winsTie) best = { type, ...range };
  }
  return best.type;
}

/** For a request with only one form, on a route that offers more. */
export function requireType(accept: string | undefined, type: string): void {
  if (accept !== undefined && !accepts(accept, type)) throw notAcceptable(accept, [type]);
}

/** The form of an answer that the client prefers; throws `request/not-acceptable`. */
export function requireForm<Form extends string>(
  accept: string | undefined,
  types: Readonly<Record<Form, string>>,
): Form {
  // The keys of the table are the forms.
  const forms = Object.keys(types) as Form[];
  const offered = forms.map((form) => types[form]);
  const type = preferredType(accept, offered);
  if (accept !== undefined && !accepts(accept, type)) throw notAcceptable(accept, offered);
  return forms[offered.indexOf(type)] as Form; // one of those offered
}

/** The range of `Accept` that decides about a media type: the most specific one that fits. */
function findRange(
  accept: string,
  mediaType: string,
): { readonly specificity: number; readonly quality: number } {
  const [family] = mediaType.split('/');
  let best = { specificity: -1, quality: 0 };
  for (const part of accept.split(',')) {
    const range = parseRange(part);
    const specificity = specificityOf(range.name, mediaType, `${family}/*`);
    // The most specific range that fits decides, so `*/*, application/json;q=0` excludes JSON.
    if (specificity > best.specificity) best = { specificity, quality: range.quality };
  }
  return best;
}

function specificityOf(range: string, mediaType: string, family: string): number {
  if (range === mediaType) return 2;
  if (range === family) return 1;
  return range === '*/*' ? 0 : -1;
}

/** An element of `Accept` or `Accept-Encoding`: a name in lower case, and its quality. */
export function parseRange(part: string): { readonly name: string; readonly quality: number } {
  const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
}
