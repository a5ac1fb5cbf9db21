// Parameters of a query as the API takes them: `{"@type","@value"}` in order, or with `@name` for
// `:name` placeholders. Print them with `printExact`: lists may contain a `bigint`.

/** A value with an explicit type: `{ type: 'date', value: '2026-01-31' }`. */
export interface TypedParameter {
  readonly type: string;
  readonly value: string | number | boolean | null;
}

export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | readonly ListElement[]
  | TypedParameter;

/** An element of a list, such as the list after `IN`. */
type ListElement = string | number | bigint | boolean | null;

/** Values for `$1`, `$2`, … in order, or for `:name` placeholders by name. */
export type Parameters = readonly Parameter[] | Readonly<Record<string, Parameter>>;

interface BindParameter {
  readonly '@name'?: string;
  readonly '@type': string;
  readonly '@value': ListElement | readonly ListElement[];
}

export function toBindParameters(parameters: Parameters): readonly BindParameter[] {
  if (isList(parameters)) return parameters.map(toBindParameter);
  return Object.entries(parameters).map(([name, parameter]) => ({
    '@name': name,
    ...toBindParameter(parameter),
  }));
}

function isList(parameters: Parameters): parameters is readonly Parameter[] {
  return Array.isArray(parameters);
}

function isElements(parameter: Parameter): parameter is readonly ListElement[] {
  return Array.isArray(parameter);
}

function toBindParameter(parameter: Parameter): BindParameter {
  if (parameter === null) return { '@type': 'null', '@value': null };
  if (parameter instanceof Date) return { '@type': 'date', '@value': parameter.toISOString() };
  switch (typeof parameter) {
    case 'string':
      return { '@type': 'string', '@value': parameter };
    case 'boolean':
      return { '@type': 'boolean', '@value': parameter };
    case 'bigint':
      return { '@type': 'biginteger', '@value': String(parameter) };
    case 'number':
      return { '@type': Number.isSafeInteger(parameter) ? 'long' : 'double', '@value': parameter };
    case 'object':
      if (isElements(parameter)) return { '@type': 'list', '@value': parameter };
      return { '@type': parameter.type, '@value': parameter.value };
  }
}
