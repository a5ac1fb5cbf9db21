// Spare bytes before and after joined values, for the head of an answer and its end.

export const ROOM_BEFORE = 3072;
export const ROOM_BEHIND = 8;
const BLANKS_BEFORE = `'${' '.repeat(ROOM_BEFORE)}'`;
const BLANKS_BEHIND = `'${' '.repeat(ROOM_BEHIND)}'`;

/** SQL: a text as bytes, with room around them. */
export function withRoom(text: string): string {
  return `CAST(${BLANKS_BEFORE} || ${text} || ${BLANKS_BEHIND} AS BLOB)`;
}

/** The bytes in their buffer, which has the room. */
export function withoutRoom(roomy: Uint8Array): Uint8Array {
  return roomy.subarray(ROOM_BEFORE, roomy.length - ROOM_BEHIND);
}
