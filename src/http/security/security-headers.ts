// Headers that keep browsers from doing more with an answer than show it. There
// is no banner: neither name nor version of the server is told.

/**
 * On every answer that does not say itself how it may be kept: data is stored
 * nowhere on its way, is taken for nothing but what it says, and is embedded in
 * no page of another site.
 */
export const DATA_HEADERS: readonly string[] = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];
