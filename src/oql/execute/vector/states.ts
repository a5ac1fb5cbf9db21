// The outcome of a condition for one row, as a byte. Beside the three truth values there is UNSURE:
// the condition may fail on this row, or its columns cannot tell. It travels through AND, OR and NOT
// as a failure does in the language (outvoted by a deciding operand, otherwise it wins), so a row
// whose whole condition ends as UNSURE is simply given to the reference evaluator.

export const NO = 0;
export const YES = 1;
/** Null or UNDEFINED. */
export const UNKNOWN = 2;
export const UNSURE_STATE = 3;

export type StateByte = 0 | 1 | 2 | 3;

/** Indexed by `left << 2 | right`. */
export const AND_STATES: Uint8Array = combine(NO);
export const OR_STATES: Uint8Array = combine(YES);
export const NOT_STATES: Uint8Array = Uint8Array.of(YES, NO, UNKNOWN, UNSURE_STATE);

function combine(deciding: StateByte): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, pair) => {
    const left = pair >> 2;
    const right = pair & 3;
    if (left === deciding || right === deciding) return deciding;
    // Of the others the order is: sure and decided, unknown, unsure.
    return Math.max(rank(left), rank(right)) === 1 ? 1 - deciding : Math.max(left, right);
  });
}

function rank(state: number): number {
  return state <= YES ? 1 : state;
}
