// The documentation page fills in the examples and defaults of the description. Sent to the sample grid,
// every such request succeeds, and no existing entry is removed or changed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startService } from '../../src/app/index.ts';
import { loadConfig } from '../../src/config/load-config.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly example?: unknown;
  readonly schema: { readonly default?: unknown };
}

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}

/** The status of removals, whose examples name nothing that exists, and of unpredictable versions. */
const REMOVED = 404;

const EXPORTED = ['items?limit=ALL', 'orders?limit=ALL', 'customers?limit=ALL', 'queries', ''];

function print(value: unknown): string {
  return (Array.isArray(value) ? value : [value]).map((v) => encodeURIComponent(v)).join(',');
}

function toRequest(path: string, { parameters = [], requestBody }: Operation) {
  let address = path;
  const query: string[] = [];
  const headers: Record<string, string> = {};
  for (const { name, in: place, example, schema } of parameters) {
    const value = example ?? schema.default;
    if (value === undefined) continue;
    if (place === 'path') address = address.replace(`{${name}}`, print(value));
    else if (place === 'query') query.push(`${name}=${print(value)}`);
    else headers[name] = String(value);
  }
  const [media] = Object.entries(requestBody?.content ?? {});
  if (media === undefined) return { address: `${address}?${query.join('&')}`, headers };
  headers['Content-Type'] = media[0];
  const { example, examples = {} } = media[1];
  const body = JSON.stringify(example ?? Object.values(examples)[0]?.value);
  return { address: `${address}?${query.join('&')}`, headers, body };
}

/** The objects of a list as they were sent. */
function splitElements(text: string): readonly string[] {
  const [list] = Object.values(JSON.parse(text));
  assert.ok(Array.isArray(list) && list.length > 0);
  return list.map((element) => JSON.stringify(element));
}

it('every request of the documentation page succeeds with its examples', async () => {
  const loaded = await loadConfig({
    flags: [
      { path: 'http.port', raw: 0, name: '--port' },
      { path: 'http.drain-linger-ms', raw: 0, name: '--http-drain-linger-ms' },
      { path: 'store.engine', raw: 'memory', name: '--memory' },
    ],
    environment: {},
    workingDirectory: import.meta.dirname,
  });
  assert.ok(loaded.kind === 'loaded');
  const service = await startService(loaded, { sample: {} });
  try {
    const document = await (await fetch(`${service.url}/grid-api/v1/openapi.json`)).json();
    const operations = Object.entries(Object(document).paths).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, operation]) => ({ method, path, operation })),
    );
    assert.ok(operations.length > 30);
    const readAll = (): Promise<readonly string[]> =>
      Promise.all(
        EXPORTED.map(async (path) => {
          const address = `${service.url}/grid-api/v1/${path}`.replace(/\/$/, '');
          const text = await (await fetch(address)).text();
          assert.ok(text.length > 100, path);
          return text;
        }),
      );
    const before = await readAll();
    for (const { method, path, operation } of operations) {
      const { operationId } = Object(operation);
      const { address, ...request } = toRequest(path, Object(operation));
      const answer = await fetch(service.url + address, {
        method: method.toUpperCase(),
        ...request,
      });
      // A stream does not end; it is enough that it began.
      const isEndless = answer.headers.get('x-accel-buffering') === 'no';
      const text = isEndless ? '' : await answer.text();
      if (isEndless) await answer.body?.cancel();
      const isAbsent = method === 'delete' || operationId === 'restoreEntry';
      const isFine = isAbsent ? answer.status === REMOVED : answer.ok;
      assert.ok(isFine, `${method} ${address}: ${answer.status} ${text}`);
    }
    const after = (await readAll()).map((text) => new Set(splitElements(text)));
    for (const [i, text] of before.entries()) {
      // New entries are added to the existing ones.
      const lost = splitElements(text).filter((element) => after[i]?.has(element) === false);
      assert.deepEqual(lost, [], `lost from ${EXPORTED[i]}`);
    }
  } finally {
    await service.stop('test');
  }
});
