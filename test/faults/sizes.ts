// The sizes of the tests. `npm test` uses the quick forms, `npm run test:faults` the short ones
// (RELIABILITY=short). `npm run bench:reliability` calls the same functions with the long ones.

export const IS_SHORT: boolean = process.env['RELIABILITY'] === 'short';

export function pickSize<T>(sizes: { readonly quick: T; readonly short: T }): T {
  return IS_SHORT ? sizes.short : sizes.quick;
}
