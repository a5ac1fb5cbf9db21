// Arbitrary requests from an OpenAPI document: parameters and bodies from their schemas, from their
// examples, and sometimes arbitrary.

import fc, { type Arbitrary } from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
  readonly method: string;
  readonly path: string;
  /** JSON pointer to it in the document. */
  readonly pointer: string;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, unknown>>;
  };
}

export interface GeneratedRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function listOperations(document: Document): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      pointer: `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`,
    })),
  );
}

export function requestArbitrary(
  document: Document,
  operations: readonly Operation[],
  requested: readonly Operation[] = operations,
): Arbitrary<GeneratedRequest> {
  const schemas = new SchemaArbitraries(document.components.schemas);
  const withNames = requested.map((operation) => ({
    ...operation,
    parameters: operation.parameters.map((parameter) => withExistingName(parameter, operations)),
  }));
  return fc.oneof(...withNames.map((operation) => operationArbitrary(operation, schemas)));
}

/** Examples of removals name nothing that exists, so the examples of other operations are used. */
function withExistingName(parameter: Parameter, operations: readonly Operation[]): Parameter {
  if (parameter.in !== 'path') return parameter;
  const others = operations
    .filter(({ method }) => method !== 'DELETE')
    .flatMap((operation) => operation.parameters);
  const other = others.find(
    ({ in: location, name }) => location === 'path' && name === parameter.name,
  );
  return { ...parameter, example: other?.example ?? parameter.example };
}

function operationArbitrary(
  operation: Operation,
  schemas: SchemaArbitraries,
): Arbitrary<GeneratedRequest> {
  const values = fc.tuple(...operation.parameters.map((it) => parameterArbitrary(it, schemas)));
  return fc
    .tuple(values, bodyArbitrary(operation, schemas), acceptArbitrary())
    .map(([parameters, body, accept]) => {
      const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
      let path = operation.path;
      const query: string[] = [];
      for (const [i, parameter] of operation.parameters.entries()) {
        const value = parameters[i];
        if (value === undefined) continue;
        if (parameter.in === 'path')
          path = path.replace(`{${parameter.name}}`, () => encode(value));
        else if (parameter.in === 'query') query.push(`${parameter.name}=${encode(value)}`);
        else headers[parameter.name] = String(value);
      }
      if (query.length > 0) path += `?${query.join('&')}`;
      if (body !== undefined) headers['Content-Type'] = body.type;
      const request = { operation, method: operation.method, path, headers };
      return body === undefined ? request : { ...request, body: body.text };
    });
}

function acceptArbitrary(): Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('application/json', '*/*', 'application/*, a/b;q=0.1'),
    },
    { weight: 2, arbitrary: fc.constant('application/problem+json, */*;q=0.5') },
    { weight: 1, arbitrary: fc.constant('image/png') },
  );
}

function parameterArbitrary(parameter: Parameter, schemas: SchemaArbitraries): Arbitrary<unknown> {
  const { example, required, schema } = parameter;
  // A header value is visible ASCII, as fast-check's plain strings are.
  const fitting = parameter.in === 'header' ? fc.string({ maxLength: 20 }) : schemas.of(schema);
  const usual = example === undefined ? fitting : fc.constant(example);
  const value = fc.oneof({ weight: 5, arbitrary: usual }, { weight: 2, arbitrary: fitting });
  // This value would address another resource.
  if (parameter.in === 'path') return value.filter((path) => encode(path) !== 'keys');
  return fc.oneof(
    { weight: required === true ? 10 : 3, arbitrary: value },
    { weight: required === true ? 1 : 8, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
  );
}

interface Body {
  readonly type: string;
  readonly text: string;
}

function bodyArbitrary(
  { requestBody }: Operation,
  schemas: SchemaArbitraries,
): Arbitrary<Body | undefined> {
  if (requestBody === undefined) return fc.constant(undefined);
  const bodies = Object.entries(requestBody.content).map(([type, media]) =>
    textArbitrary(media, schemas).map((text) => (text === undefined ? undefined : { type, text })),
  );
  return fc.oneof(...bodies);
}

function textArbitrary(
  { examples, schema }: Media,
  schemas: SchemaArbitraries,
): Arbitrary<string | undefined> {
  const fitting = schemas.of(schema);
  const exampleValues = Object.values(examples ?? {}).map((example) => fc.constant(example.value));
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.oneof(...exampleValues, fitting).map((value) => JSON.stringify(value)),
    },
    { weight: 3, arbitrary: fitting.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

/** Elements of a list are encoded one by one and joined by raw commas. */
function encode(value: unknown): string {
  if (Array.isArray(value)) return value.map(encode).join(',');
  return encodeURIComponent(String(value));
}

/** The keywords that our document uses; an unknown shape is any JSON. */
class SchemaArbitraries {
  readonly #named: Readonly<Record<string, Schema>>;

  constructor(named: Readonly<Record<string, Schema>>) {
    this.#named = named;
  }

  of(schema: Schema): Arbitrary<unknown> {
    const { $ref, anyOf, enum: values, type } = schema;
    if (typeof $ref === 'string') return this.of(this.#named[$ref.split('/').at(-1) ?? ''] ?? {});
    if (Array.isArray(values)) return fc.constantFrom(...values);
    if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((choice: Schema) => this.of(choice)));
    if (Array.isArray(type)) {
      return fc.oneof(...type.map((choice) => this.of({ ...schema, type: choice })));
    }
    return this.#ofType(String(type), schema);
  }

  #ofType(type: string, schema: Schema): Arbitrary<unknown> {
    const number = (name: string, otherwise: number): number => Number(schema[name] ?? otherwise);
    switch (type) {
      case 'string':
        if (typeof schema['pattern'] === 'string') {
          return fc.stringMatching(new RegExp(schema['pattern']), { size: '-1' });
        }
        return fc.string({ unit: 'grapheme', minLength: number('minLength', 0), maxLength: 12 });
      case 'integer':
        return fc.integer({ min: number('minimum', -1000), max: number('maximum', 1000) });
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(this.of((schema['items'] ?? {}) as Schema), {
          minLength: number('minItems', 0),
          maxLength: 4,
        });
      case 'object':
        return this.#ofObject(schema);
      default:
        return fc.jsonValue();
    }
  }

  #ofObject(schema: Schema): Arbitrary<unknown> {
    const properties = schema['properties'];
    if (properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }));
    const members = Object.entries(properties as Record<string, Schema>).map(
      ([name, member]) => [name, this.of(member)] as const,
    );
    const requiredKeys = (schema['required'] ?? []) as string[];
    return fc.record(Object.fromEntries(members), { requiredKeys });
  }
}
