// The log of changes in the result of a live query, in batches. Each consumer reads it from its own
// position at its own pace, so nothing is queued per consumer. A consumer that reads several
// batches at once gets one delta per row: its latest state.
//
// The log is bounded. Once the deltas after a position are more than the result itself, they are
// dropped, and the consumer gets a new snapshot instead.

export type Delta =
  | { readonly kind: 'enter' | 'update'; readonly id: string; readonly row: string }
  | { readonly kind: 'leave'; readonly id: string };

interface DeltaBatch {
  readonly deltas: readonly Delta[];
  /** UTF-16 code units of its ids and rows. */
  readonly size: number;
}

/** Minimum number of positions kept for reconnecting consumers; trimmed in larger steps. */
const KEPT_POINTS = 2_000;

export class DeltaLog {
  readonly #batches: DeltaBatch[] = [];
  /** The position of the first batch. */
  #start = 0;
  #deltas = 0;
  #size = 0;
  /** Positions by the sequence whose result they have. */
  readonly #points = new Map<number, number>();

  /** The position after the last batch. */
  get end(): number {
    return this.#start + this.#batches.length;
  }

  /** UTF-16 code units of all deltas. */
  get size(): number {
    return this.#size;
  }

  append(deltas: readonly Delta[], bounds: Readonly<Record<'deltas' | 'size', number>>): void {
    const size = deltas.reduce((sum, delta) => sum + sizeOf(delta), 0);
    this.#batches.push({ deltas, size });
    this.#deltas += deltas.length;
    this.#size += size;
    while (this.#batches.length > 0 && (this.#deltas > bounds.deltas || this.#size > bounds.size)) {
      const first = this.#batches.shift();
      this.#start += 1;
      this.#deltas -= first?.deltas.length ?? 0;
      this.#size -= first?.size ?? 0;
    }
  }

  /** Records that the result as of this sequence is the one at the end of the log. */
  mark(sequence: number): void {
    this.#points.set(sequence, this.end);
    if (this.#points.size <= 2 * KEPT_POINTS) return;
    const oldest = [...this.#points.keys()].slice(0, KEPT_POINTS);
    for (const each of oldest) this.#points.delete(each);
  }

  /** The position of a consumer with the rows of that sequence; undefined if it is unknown. */
  positionAt(sequence: number): number | undefined {
    const position = this.#points.get(sequence);
    return position === undefined || position < this.#start ? undefined : position;
  }

  /** The difference between a position and the end; undefined if the log does not go back so far. */
  since(position: number): readonly Delta[] | undefined {
    if (position < this.#start) return undefined;
    const batches = this.#batches.slice(position - this.#start);
    const [only, ...others] = batches;
    return only !== undefined && others.length === 0 ? only.deltas : collapse(batches);
  }

  /** Invalidates every earlier position. */
  restart(): void {
    // One further, so that a consumer at the end is invalidated too.
    this.#start = this.end + 1;
    this.#batches.length = 0;
    this.#points.clear();
    this.#deltas = 0;
    this.#size = 0;
  }
}

function sizeOf(delta: Delta): number {
  return delta.id.length + ('row' in delta ? delta.row.length : 0);
}

/** One delta per row: from its state before the first batch to its state after the last. */
function collapse(batches: readonly DeltaBatch[]): readonly Delta[] {
  const latest = new Map<string, { readonly wasThere: boolean; readonly delta: Delta }>();
  for (const { deltas } of batches) {
    for (const delta of deltas) {
      const wasThere = latest.get(delta.id)?.wasThere ?? delta.kind !== 'enter';
      latest.set(delta.id, { wasThere, delta });
    }
  }
  return [...latest.values()].flatMap(({ wasThere, delta }): Delta[] => {
    if (delta.kind === 'leave') return wasThere ? [delta] : [];
    return [{ ...delta, kind: wasThere ? 'update' : 'enter' }];
  });
}
