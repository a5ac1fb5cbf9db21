// How documents become values of the program and back. A region and a query
// each work with one codec; three are ready made.

export interface Codec<Document> {
  parse(text: string): Document;
  print(document: Document): string;
}

/** Plain objects by `JSON.parse`. Integers beyond 2^53 lose digits, as JavaScript's numbers do. */
export function objects<Document>(): Codec<Document> {
  return {
    // The caller names the type of the documents.
    parse: (text) => JSON.parse(text) as Document,
    print: (document) => JSON.stringify(document),
  };
}

/** Plain objects in which an integer that a number cannot hold is a `bigint`. */
export function exactObjects<Document>(): Codec<Document> {
  return {
    // The caller names the type of the documents.
    parse: (text) => exactJson.parse(text, reviveExact) as Document,
    print: printExact,
  };
}

/** JSON text, byte for byte as it is stored. */
export const texts: Codec<string> = { parse: (text) => text, print: (document) => document };

/** Node 22 and current browsers have these; the compiler's library does not yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

// The cast adds the two members above to the global object.
const exactJson = JSON as unknown as ExactJson;

const INTEGER = /^-?\d+$/;

function reviveExact(
  _key: string,
  value: unknown,
  { source }: { readonly source?: string },
): unknown {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) {
    return value;
  }
  return INTEGER.test(source) ? BigInt(source) : value;
}

/** JSON text in which a `bigint` is an integer with all its digits. */
export function printExact(document: unknown): string {
  return JSON.stringify(document, (_key, value: unknown) =>
    typeof value === 'bigint' ? exactJson.rawJSON(String(value)) : value,
  );
}
