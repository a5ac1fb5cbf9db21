// The plans of named queries: which indexes they use, and where they scan whole regions.

import type { GridClient, NamedQuery, Plan } from '../../src/client/index.ts';

export interface ExplainedQuery {
  readonly id: string;
  readonly plan: Plan;
}

/** Limit, because this is a hint, not a report. */
const MAX_QUERIES = 50;

/** Returns the queries that can be explained; others may need parameters of other types. */
export async function explainQueries(
  client: GridClient,
  signal: AbortSignal,
): Promise<readonly ExplainedQuery[]> {
  const queries = await client.queries.list({ signal });
  const explained = await Promise.all(
    queries.slice(0, MAX_QUERIES).map((query) => explain(client, query, signal)),
  );
  return explained.flat();
}

async function explain(
  client: GridClient,
  { id, oql }: NamedQuery,
  signal: AbortSignal,
): Promise<readonly ExplainedQuery[]> {
  try {
    const plan = await client.queries.named(id, dummyParameters(oql), { signal }).explain();
    return [{ id, plan }];
  } catch {
    return [];
  }
}

/** Parameters for an explanation of the text: as many as its highest `$n`, or its `:names`. */
export function dummyParameters(oql: string): readonly string[] | Readonly<Record<string, string>> {
  const bare = oql.replaceAll(/'(?:[^']|'')*'/g, '');
  const names = [...bare.matchAll(/:([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
  if (names.length > 0) return Object.fromEntries(names.map((name) => [name, '']));
  const numbers = [...bare.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  return Array.from({ length: Math.max(0, ...numbers) }, () => '');
}
