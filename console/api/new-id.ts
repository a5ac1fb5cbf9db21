// Ids for tabs and imports. `crypto.randomUUID` is missing on pages that are loaded over plain HTTP
// from another machine.

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
