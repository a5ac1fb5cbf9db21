// A tiny registry that prints the Prometheus text format. Counters and histograms are plain objects
// resolved once and then only added to, so that recording allocates nothing; values that can be
// read on demand (sizes, heap) are gauges, sampled when the text is printed.

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface Counter {
  add(amount: number): void;
}

export interface Histogram {
  record(value: number): void;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  print(lines: string[]): void | Promise<void>;
}

export class Metrics {
  readonly #families = new Map<string, Family>();

  /** A counter family; call the result once per set of labels and keep the returned counter. */
  counter(name: string, help: string): (labels: Labels) => Counter {
    const children: PrintedCounter[] = [];
    this.#add({
      name,
      help,
      type: 'counter',
      print: (lines) => {
        for (const child of children) lines.push(`${child.series} ${printNumber(child.value)}`);
      },
    });
    return (labels) => {
      const child = new PrintedCounter(name + printLabels(labels));
      children.push(child);
      return child;
    };
  }

  /** A histogram family over ascending upper bounds; children as with `counter`. */
  histogram(name: string, help: string, bounds: readonly number[]): (labels: Labels) => Histogram {
    const children: PrintedHistogram[] = [];
    this.#add({
      name,
      help,
      type: 'histogram',
      print: (lines) => {
        for (const child of children) child.print(lines);
      },
    });
    return (labels) => {
      const child = new PrintedHistogram(name, labels, bounds);
      children.push(child);
      return child;
    };
  }

  /** Samples that are taken each time the text is printed. */
  sampled(
    type: 'counter' | 'gauge' | 'summary',
    name: string,
    help: string,
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void {
    this.#add({
      name,
      help,
      type,
      print: async (lines) => {
        for (const { labels, value } of await read()) {
          lines.push(`${name}${printLabels(labels)} ${printNumber(value)}`);
        }
      },
    });
  }

  /** The text exposition format, version 0.0.4. */
  async print(): Promise<string> {
    const lines: string[] = [];
    for (const family of this.#families.values()) {
      lines.push(`# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`);
      await family.print(lines);
    }
    return `${lines.join('\n')}\n`;
  }

  #add(family: Family): void {
    if (this.#families.has(family.name)) throw new RangeError(`Metric ${family.name} exists`);
    this.#families.set(family.name, family);
  }
}

/** One sample without labels. */
export function single(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

class PrintedCounter implements Counter {
  readonly series: string;
  /**
   * In an array of doubles, not in a member: a member that holds small integers changes the hidden
   * class of all counters when the first of them passes 2^31. V8 then recompiles the code that
   * counts requests for as long as the process lives (0117).
   */
  readonly #value: Float64Array = new Float64Array(1);

  constructor(series: string) {
    this.series = series;
  }

  get value(): number {
    return this.#value[0] ?? 0;
  }

  add(amount: number): void {
    this.#value[0] = this.value + amount;
  }
}

class PrintedHistogram implements Histogram {
  readonly #name: string;
  readonly #labels: Labels;
  readonly #bounds: Float64Array;
  /** Not cumulative; the last one counts values above every bound. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(name: string, labels: Labels, bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  print(lines: string[]): void {
    let total = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      total += count;
      const bound = this.#bounds[bucket];
      const le = bound === undefined ? '+Inf' : printNumber(bound);
      lines.push(`${this.#name}_bucket${printLabels({ ...this.#labels, le })} ${total}`);
    }
    const labels = printLabels(this.#labels);
    lines.push(`${this.#name}_sum${labels} ${printNumber(this.#sum)}`);
    lines.push(`${this.#name}_count${labels} ${total}`);
  }
}

function printLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function printNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}
