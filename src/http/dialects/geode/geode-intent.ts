// The intents of Geode's requests: those of the service, plus the details that an answer in Geode's
// form needs.

import type {
  AddEntry,
  CreateQuery,
  IntentOf,
  ReadEntries,
  ReadRegion,
  RemoveEntries,
  RunAdhocQuery,
  RunNamedQuery,
  UpdateQuery,
  WriteEntries,
} from '../../intent/intent.ts';

/** Keys come in the path or as `?keys=`, and addresses in answers name them in the same way. */
export interface GivenKeys {
  readonly keysIn: 'path' | 'parameter';
  /** As they came in `?keys=`, decoded once. */
  readonly givenKeys: readonly string[];
}

export type GeodeReadEntries = ReadEntries & GivenKeys;
export type GeodeWriteEntries = WriteEntries & GivenKeys;
export type GeodeReadRegion = ReadRegion;
export type GeodeAddEntry = AddEntry;
export type GeodeRemoveEntries = RemoveEntries;
export type GeodeClearRegion = IntentOf<'clear-region'>;
/** An empty text means that the body has it. */
export type GeodeCreateQuery = CreateQuery & { readonly queryId: string; readonly oql: string };
export type GeodeUpdateQuery = UpdateQuery & { readonly oql: string };
export type GeodeRunNamedQuery = RunNamedQuery;
export type GeodeRunAdhocQuery = RunAdhocQuery & { readonly oql: string };
