// Versions of entries as HTTP has them: the entity tag `"42"` is version 42.

/** The header by which a write states the version that it expects, if it does. */
export function printCondition(version: number | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { 'if-match': printTag(version) };
}

export function printTag(version: number): string {
  return `"${version}"`;
}

/** 0 when nothing was stored, as in a region of type EMPTY. */
export function readVersion(headers: Headers): number {
  // A compressed answer has the encoding after the version: `"42-gzip"`.
  return Number(/^"(\d+)/.exec(headers.get('etag') ?? '')?.[1] ?? 0);
}
