// Security headers: browsers may only display an answer. No header names the server or its version.

/**
 * On every answer without its own caching headers: caches must not store data, browsers must not
 * guess its type, and pages of other sites must not embed it.
 */
export const DATA_HEADERS: readonly string[] = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];
