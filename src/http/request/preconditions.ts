// Conditional requests. An entity tag is the version of an entry in quotes; a tag of another form
// matches nothing.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Precondition } from '../../grid/index.ts';
import { badPrecondition } from '../errors.ts';
import { plainTag } from '../response/compress.ts';
import { parseVersion } from './commit-number.ts';

/** Up to this many versions are listed in a tag; more are hashed. */
const SPELLED_VERSIONS = 8;

/** The strong tag of a read: from the version of every entry, 0 for an absent one. */
export function entityTag(versions: readonly number[]): string {
  if (versions.length === 1) return `"${versions[0]}"`;
  const text = versions.join('.');
  return versions.length <= SPELLED_VERSIONS
    ? `"${text}"`
    : `"${hash('sha256', text, 'base64url')}"`;
}

/**
 * The tag in `If-None-Match` that matches this state, in any encoding; undefined when none does.
 */
export function findUnchanged(ifNoneMatch: string | undefined, tag: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined;
  if (ifNoneMatch.trim() === '*') return tag;
  return tagsOf(ifNoneMatch)
    .map((listed) => listed.replace(/^W\//, ''))
    .find((strong) => strong === tag || plainTag(strong) === tag);
}

/** The preconditions of a write to these keys. */
export function parsePreconditions(
  headers: IncomingHttpHeaders,
  keys: readonly string[],
): readonly Precondition[] {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifMatch === undefined && ifNoneMatch === undefined) return [];
  if (keys.length !== 1) {
    throw badPrecondition('If-Match and If-None-Match need a write to exactly one key');
  }
  const preconditions: Precondition[] = [];
  if (ifMatch !== undefined) preconditions.push(toPrecondition(ifMatch, 'present', 'version-is'));
  if (ifNoneMatch !== undefined) {
    preconditions.push(toPrecondition(ifNoneMatch, 'absent', 'version-is-not'));
  }
  return preconditions;
}

function toPrecondition(
  header: string,
  star: 'present' | 'absent',
  kind: 'version-is' | 'version-is-not',
): Precondition {
  if (header.trim() === '*') return { kind: star };
  return { kind, versions: tagsOf(header).map(versionOfTag) };
}

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim());
}

/** Weak tags and tags of another form name no version, and no entry has version -1. */
function versionOfTag(tag: string): number {
  const text = /^"(\d+)"$/.exec(plainTag(tag))?.[1] ?? '';
  return parseVersion(text) ?? -1;
}
