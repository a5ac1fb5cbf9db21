// The intents of Geode's requests: those of the service, plus the details that an answer in Geode's
// form needs.

import type { CreateQuery, ReadEntries, RunAdhocQuery, WriteEntries } from '../../intent/intent.ts';

/** Keys come in the path or as `?keys=`, and addresses in answers name them in the same way. */
export interface GivenKeys {
  readonly keysIn: 'path' | 'parameter';
  /** As they came in `?keys=`, decoded once. */
  readonly givenKeys: readonly string[];
}

export type GeodeReadEntries = ReadEntries & GivenKeys;
export type GeodeWriteEntries = WriteEntries & GivenKeys;
/** An empty text means that the body has it. */
export type GeodeCreateQuery = CreateQuery & { readonly queryId: string; readonly oql: string };
export type GeodeRunAdhocQuery = RunAdhocQuery & { readonly oql: string };
