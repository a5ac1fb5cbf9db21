// The load of the crash tests, over HTTP. Every writer writes increasing generations and records those
// that were acknowledged. Afterwards all entries of a writer must have the same generation: the last
// acknowledged one, or the one in flight.

import { createRandom, type Random } from '../../src/sample/random.ts';
import { type Client, codeOf, type Reply } from './client.ts';

export const GENERATION_YAML = 'regions: [{ name: generations }]\n';
const REGION = 'generations';
const GROUPS = 5;
const SINGLES = 4;
const KEYS_PER_GROUP = 8;
const QUERY = 'generation';

interface Writer {
  readonly name: string;
  readonly keys: readonly string[];
  acknowledged: number;
  /** The generation in flight; its outcome is unknown when there was no answer or an error. */
  inFlight: number;
}

export interface Loss {
  readonly lost: readonly string[];
  readonly torn: readonly string[];
}

export class GenerationLoad {
  readonly #random: Random;
  readonly #writers: readonly Writer[] = [
    ...Array.from({ length: GROUPS }, (_, i) => newWriter(`g${i}`, KEYS_PER_GROUP)),
    ...Array.from({ length: SINGLES }, (_, i) => newWriter(`s${i}`, 1)),
  ];
  readonly #query: Writer = newWriter(QUERY, 0);
  /** Statuses other than 200, with their count. */
  readonly unexpected: Map<string, number> = new Map();
  acknowledgements = 0;
  #isCounting = true;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /** Writes the first generation of everything; no write may fail yet. */
  async prepare(client: Client): Promise<void> {
    for (const writer of this.#writers) {
      const reply = await client.put(`/${REGION}/${writer.keys.join(',')}`, body(writer, 0));
      if (reply?.status !== 200) throw new Error(`the first write failed: ${reply?.text}`);
    }
    const created = await client.send('POST', `/queries?id=${QUERY}&q=${queryText(0)}`);
    if (created?.status !== 201) throw new Error(`no query: ${created?.text}`);
  }

  /**
   * Ignores answers from now on. A power cut would disconnect the clients too, and a file system that
   * is being shut down may report a sync as done that it has given up.
   */
  ignoreAnswers(): void {
    this.#isCounting = false;
  }

  /** Runs all writers until one gets no answer; calls `onAcknowledged` for every 200. */
  async run(client: Client, onAcknowledged: () => void): Promise<void> {
    this.#isCounting = true;
    const run = async (writer: Writer, send: (generation: number) => Promise<Reply>) => {
      for (;;) {
        const generation = writer.inFlight + 1;
        writer.inFlight = generation;
        const reply = await send(generation);
        if (reply === undefined) return;
        if (reply.status === 200 && this.#isCounting) {
          writer.acknowledged = generation;
          this.acknowledgements += 1;
          onAcknowledged();
        } else if (reply.status !== 200 && codeOf(reply) !== 'request/shutting-down') {
          this.#count(`${writer.name}: ${reply.status} ${reply.text.slice(0, 80)}`);
        }
        if (reply.status >= 400) return;
      }
    };
    await Promise.all([
      ...this.#writers.map((writer) =>
        run(writer, (generation) =>
          client.put(
            `/${REGION}/${writer.keys.join(',')}?op=REPLACE`,
            body(writer, generation, this.#random.between(0, 3000)),
          ),
        ),
      ),
      run(this.#query, (generation) =>
        client.send('PUT', `/queries/${QUERY}?q=${queryText(generation)}`),
      ),
    ]);
  }

  /** Compares the store with the acknowledged writes, and continues from its contents. */
  async compare(client: Client): Promise<Loss> {
    const lost: string[] = [];
    const torn: string[] = [];
    const check = (writer: Writer, found: readonly number[]): void => {
      const { acknowledged, name, inFlight } = writer;
      const seen = [...new Set(found)];
      const [first = Number.NaN] = seen;
      if (seen.length !== 1) torn.push(`${name}: generations ${seen.join(', ')}`);
      if (seen.some((it) => !(it >= acknowledged && it <= inFlight))) {
        lost.push(`${name}: found ${seen.join(', ')}, ${acknowledged} was acknowledged`);
      }
      writer.acknowledged = first;
      writer.inFlight = first;
    };
    // Twice, because reads by key and scans use different statements.
    const all = await client.get(`/${REGION}?limit=ALL`);
    const scanned = valuesOf(all.text);
    const expected = this.#writers.reduce((sum, { keys }) => sum + keys.length, 0);
    if (scanned.length !== expected) lost.push(`${scanned.length} entries of ${expected}`);
    for (const writer of this.#writers) {
      const { text } = await client.get(`/${REGION}/${writer.keys.join(',')}`);
      const read = valuesOf(text);
      const ofScan = scanned.filter(({ writer: name }) => name === writer.name);
      check(
        writer,
        [...read, ...ofScan].map(({ generation }) => generation),
      );
    }
    const query = JSON.parse((await client.get(`/queries/${QUERY}`)).text);
    check(this.#query, [Number(/\/(\d+)\//.exec(String(query.oql).replaceAll(' ', '/'))?.[1])]);
    return { lost, torn };
  }

  #count(what: string): void {
    this.unexpected.set(what, (this.unexpected.get(what) ?? 0) + 1);
  }
}

function newWriter(name: string, keys: number): Writer {
  return {
    name,
    keys: Array.from({ length: keys }, (_, i) => `${name}-${i}`),
    acknowledged: 0,
    inFlight: 0,
  };
}

function body(writer: Writer, generation: number, pad = 0): string {
  const values = writer.keys.map((_, i) =>
    // Sizes differ, so that pages split and overflow while it is killed.
    JSON.stringify({ writer: writer.name, generation, pad: 'p'.repeat((pad * (i + 1)) % 6000) }),
  );
  return values.length === 1 ? (values[0] ?? '') : `[${values.join(',')}]`;
}

function queryText(generation: number): string {
  return encodeURIComponent(`SELECT ${generation} FROM /${REGION}`);
}

interface Generation {
  readonly writer: string;
  readonly generation: number;
}

function valuesOf(text: string): readonly Generation[] {
  return JSON.parse(text)[REGION];
}
