// Runs the script of the documentation page without a browser: how it finds the service, and how it
// shows answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

const SCRIPT = new URL('../../src/http/documentation/page.js', import.meta.url);

interface Element {
  readonly type: unknown;
  readonly props: Readonly<Record<string, unknown>> | null;
  readonly children: readonly unknown[];
}

interface ViewerOptions {
  readonly spec: { readonly servers: readonly { readonly url: string }[] };
  readonly plugins: readonly ((system: object) => {
    readonly wrapComponents: Readonly<
      Record<string, (original: string) => (props: object) => Element>
    >;
  })[];
}

/** The requests of the page, and the options that it passes to the viewer. */
async function runPage(address: string): Promise<{ requested: string[]; options: ViewerOptions }> {
  const requested: string[] = [];
  return new Promise((resolve, reject) => {
    const context = createContext({
      URL,
      document: {
        baseURI: address,
        documentElement: { classList: { toggle: () => true } },
        querySelector: () => ({
          set textContent(text: string) {
            reject(new Error(text));
          },
        }),
      },
      window: {
        matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
        SwaggerUIBundle: (options: ViewerOptions) => resolve({ requested, options }),
      },
      fetch: async (url: string) => {
        requested.push(url);
        return { json: async () => ({ servers: [{ url: 'http://elsewhere' }] }) };
      },
    });
    runInContext(readFileSync(SCRIPT, 'utf8'), context);
  });
}

const React = {
  createElement: (type: unknown, props: Element['props'], ...children: unknown[]): Element => ({
    type,
    props,
    children,
  }),
};

async function wrap(name: string, props: object): Promise<Element> {
  const { options } = await runPage('http://h/docs');
  const component = options.plugins[0]?.({ React }).wrapComponents[name]?.('original');
  assert.ok(component !== undefined);
  return component(props);
}

test('the page finds the service at its own address', async () => {
  for (const [page, root] of [
    ['http://h:7070/docs', 'http://h:7070'],
    ['https://grid.example.com/a/b/docs#x', 'https://grid.example.com/a/b'],
  ] as const) {
    const { requested, options } = await runPage(page);
    assert.deepEqual(requested, [`${root}/grid-api/v1/openapi.json`]);
    assert.equal(options.spec.servers[0]?.url, root);
  }
});

test('answers in JSON keep every digit and every character', async () => {
  const content =
    '{"id":12345678901234567890,"price":20.0,"text":"a\\"{[,: b\\\\","empty":{},"none":[],"list":[1,{"x":-0.10e5}]}';
  const shown = await wrap('responseBody', { contentType: 'application/json', content });
  const text = String(shown.children[0]);
  assert.equal(shown.type, 'pre');
  assert.match(text, /^\{\n {2}"id": 12345678901234567890,\n {2}"price": 20\.0,\n/);
  assert.match(text, /"empty": \{\},\n {2}"none": \[\],\n/);
  // Equal to the answer, apart from white space between tokens.
  const strings = /"(?:[^"\\]|\\.)*"|\s+/g;
  assert.equal(
    text.replaceAll(strings, (part) => (part.startsWith('"') ? part : '')),
    content,
  );
});

test('answers other than JSON are left to the viewer', async () => {
  const plain = await wrap('responseBody', { contentType: 'text/plain', content: 'a b' });
  assert.equal(plain.type, 'original');
});

test('the list of answers is collapsed until there is one', async () => {
  const folded = await wrap('responses', {});
  assert.equal(folded.type, 'details');
  assert.equal(folded.props?.['open'], false);
  const open = await wrap('responses', { tryItOutResponse: { status: 200 } });
  assert.equal(open.props?.['open'], true);
});
