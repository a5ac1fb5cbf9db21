/** A number of things in English: `1 row`, `2 rows`. */
export function printAmount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
