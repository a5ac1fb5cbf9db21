// The Accept header: the media types that a client accepts.

/** Whether `Accept` includes a media type; an absent or empty header includes all. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (!accept || accept === '*/*' || accept === mediaType) return true;
  return findRange(accept, mediaType).quality > 0;
}

/** The range of `Accept` that decides about a media type: the most specific one that fits. */
export function findRange(
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

/** An element of `Accept` or `Accept-Encoding`: a name in lower case, and how much it is wanted. */
export function parseRange(part: string): { readonly name: string; readonly quality: number } {
  const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
}
