// Texts that methods and functions of a query compute.

/** The longest text that may be computed, in code units. */
export const MAX_TEXT_LENGTH: number = 16 * 1024 * 1024;

/** Equal for texts that differ in case only. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
