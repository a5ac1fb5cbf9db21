// Metrics in the text format of Prometheus, as `/metrics` returns them.

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by the name of their metric; empty for an unknown metric. */
export class MetricsText {
  readonly #samples = new Map<string, Sample[]>();

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
      if (name === '') continue;
      const list = this.#samples.get(name) ?? [];
      list.push({ labels: parseLabels(labels), value: Number(value) });
      this.#samples.set(name, list);
    }
  }

  list(name: string): readonly Sample[] {
    return this.#samples.get(name) ?? [];
  }

  /** Sum over all samples that fit. */
  sum(name: string, fits: (labels: Sample['labels']) => boolean = () => true): number {
    return this.list(name).reduce((sum, { labels, value }) => sum + (fits(labels) ? value : 0), 0);
  }
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    labels[name] = value.replaceAll(/\\(.)/g, (_all, c: string) => ESCAPES[c] ?? c);
  }
  return labels;
}
