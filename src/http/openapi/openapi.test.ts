import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../routes.ts';
import { buildOpenApi } from './openapi.ts';
import { operations } from './operations.ts';

/** The document as a client receives it. */
const document: Record<string, unknown> = JSON.parse(JSON.stringify(buildOpenApi(routes)));

test('the document is valid OpenAPI 3.1', async () => {
  const { errors, valid } = await new Validator().validate(structuredClone(document));
  assert.equal(valid, true, JSON.stringify(errors, undefined, 2));
  assert.match(String(document['openapi']), /^3\.1\./);
});

test('a document with a mistake would be detected', async () => {
  const { valid } = await new Validator().validate({ ...document, paths: { '/x': { get: 1 } } });
  assert.equal(valid, false);
});

test('every operation is served by exactly one route', () => {
  const served = routes.map((route) => route.operation).sort();
  assert.ok(served.length > 30);
  assert.deepEqual(served, Object.keys(operations).sort());
});

test('every route is in the document under its path and method', () => {
  const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>; // validated above
  const queried = document['x-query-paths'] as Record<string, { operationId: string }>;
  for (const { method, operation, path } of routes) {
    // OpenAPI 3.1 knows no QUERY.
    const found = method === 'QUERY' ? queried[path] : paths[path]?.[method.toLowerCase()];
    assert.equal(found?.operationId, operation);
  }
  assert.ok(paths['/grid-api/v1/ping']?.['head'], 'ping answers HEAD by the specification');
});

test('every example matches its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  let checked = 0;
  const check = (schema: unknown, example: unknown, where: string): void => {
    // References are relative to the whole document.
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    const validate = ajv.compile(JSON.parse(text));
    assert.ok(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`);
    checked += 1;
  };
  const walk = (node: unknown, where: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { example, examples, schema } = node as Record<string, unknown>; // any may be absent
    if (schema !== undefined && example !== undefined) check(schema, example, where);
    if (schema !== undefined && examples !== undefined) {
      for (const [name, { value }] of Object.entries(
        examples as Record<string, { value: unknown }>,
      )) {
        check(schema, value, `${where}/${name}`);
      }
    }
    for (const [name, child] of Object.entries(node)) walk(child, `${where}/${name}`);
  };
  walk(document['paths'], '#/paths');
  assert.ok(checked > 40, `only ${checked} examples`);
});

test('every component is referred to, by a reference or by its name in a description', () => {
  const text = JSON.stringify(document);
  const components = document['components'] as Record<string, Record<string, unknown>>; // validated above
  for (const kind of ['headers', 'responses', 'schemas']) {
    for (const name of Object.keys(components[kind] ?? {})) {
      const isUsed = text.includes(`"#/components/${kind}/${name}"`) || text.includes(` ${name},`);
      assert.ok(isUsed, `${kind}/${name}`);
    }
  }
});

test('every operation says which logins it takes, because validators require it', () => {
  for (const [name, { security }] of describedOperations())
    assert.ok(Array.isArray(security), name);
});

interface DescribedOperation {
  readonly security: unknown;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: object;
  }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, object>> }>
  >;
}

function describedOperations(): readonly (readonly [string, DescribedOperation])[] {
  const paths = document['paths'] as Record<string, Record<string, DescribedOperation>>; // validated above
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );
}

test('plain JSON is the first media type of every error, because generated clients take the first', () => {
  const { responses } = document['components'] as DescribedOperation; // validated above
  const all = [responses, ...describedOperations().map(([, operation]) => operation.responses)];
  const errors = all.flatMap(Object.entries).filter(([status]) => Number(status) >= 400);
  const types = errors.flatMap(([, { content }]) => (content ? [Object.keys(content)[0]] : []));
  assert.ok(types.length > 40);
  assert.deepEqual([...new Set(types)], ['application/json']);
});

test('the answer to HEAD has a media type, which generated clients accept', () => {
  const [, count] =
    describedOperations().find(([name]) => name.startsWith('head /grid-api/v1/{region}')) ?? [];
  assert.deepEqual(Object.keys(count?.responses['200']?.content ?? {}), [
    'application/json; charset=utf-8',
  ]);
});

test('no schema of a request or a result is a choice of types, which generators cannot express', () => {
  const allowed = '{"anyOf":[{"type":"string"},{"$ref":"#/components/schemas/Error"}]}';
  const text = JSON.stringify(document).replaceAll(allowed, '');
  assert.equal(text.includes('"anyOf"'), false);
  // A type or null is understood; `not` is ignored.
  const lists = text.replace(/"not":\{[^}]*\}/g, '').matchAll(/"type":\[([^\]]*)\]/g);
  for (const [, types = ''] of lists) assert.match(types, /^"\w+","null"$/);
  for (const [name, { parameters, responses }] of describedOperations()) {
    const path = parameters.filter((parameter) => parameter.in === 'path');
    for (const { schema } of path) assert.equal(Object(schema).type, 'string', name);
    const result = responses['200']?.content?.['application/json'];
    if (Object(result).schema?.type === 'array') assert.ok(Object(result).schema.items, name);
  }
});
