// Entries by key, answered as Geode does: one key gives the bare value, several give a list.

import { GridError, type GridRegion, type StoredEntry } from '../../../grid/index.ts';
import type { AnswerIntent, Api } from '../../handlers/handler.ts';
import type { AddEntry, RemoveEntries } from '../../intent/intent.ts';
import { emptyResponse } from '../../response/api-response.ts';
import { regionJson } from '../../response/region-json.ts';
import { addressHeader, readAddress, toAddress, writtenAddress } from './addresses.ts';
import {
  METHODS,
  parseComparison,
  parseDocument,
  parseDocuments,
  parseSingleDocument,
  requireBytes,
} from './document-body.ts';
import { failOperation, type GeodeError, refuse } from './geode-error.ts';
import type { GeodeReadEntries, GeodeWriteEntries } from './geode-intent.ts';
import { geodeJson } from './geode-response.ts';
import { equalStrictly } from './strict-equality.ts';

export const readEntries: AnswerIntent<GeodeReadEntries> = async (intent, request, { grid }) => {
  const region = await grid.region(intent.region);
  const entries = await readPossible(region, intent.keys);
  const headers = addressHeader('Content-Location', readAddress(intent, request.base));
  if (intent.keys.length === 1) {
    const [entry] = entries;
    if (entry === undefined) throw keyMissing(intent.keys[0] ?? '', region.name);
    return geodeJson(entry.value, headers);
  }
  if (intent.missing === 'refused') region.requireAll(intent.keys, entries);
  const values = entries.map((entry) => entry?.value ?? 'null').join(',');
  return geodeJson(regionJson(region.name, values).body, headers);
};

export const addEntry: AnswerIntent<AddEntry> = async ({ key, region: name }, request, api) => {
  const bytes = await requireBytes(request, api.limits, METHODS.create);
  const value = await parseDocument(bytes, api.limits, name);
  const region = await api.grid.region(name);
  if (region.definition.type === 'EMPTY') throw notSupported(name);
  const added = key ?? (await addUnderNextKey(region, value, api));
  if (key !== undefined) await region.add({ key, value }, []);
  return emptyResponse(201, addressHeader('Location', toAddress(request.base, name, added)));
};

/** Geode answers 409 if a number is taken; this takes the next free one. */
async function addUnderNextKey(region: GridRegion, value: string, api: Api): Promise<string> {
  for (let isTaken = false; ; isTaken = true) {
    const key = api.keySequence.next(isTaken);
    try {
      await region.add({ key, value }, []);
      return key;
    } catch (error) {
      if (!(error instanceof GridError) || error.code !== 'grid/key-exists') throw error;
    }
  }
}

export const writeEntries: AnswerIntent<GeodeWriteEntries> = async (intent, request, api) => {
  const bytes = await requireBytes(request, api.limits, METHODS[intent.keysIn]);
  if (intent.keys.length > 1) await putAll(intent, bytes, api);
  else await writeOne(intent, bytes, api);
  const headers = addressHeader('Location', writtenAddress(intent, request.base));
  return emptyResponse(intent.operation === 'CREATE' ? 201 : 200, headers);
};

/** A key that is named twice gets the last of its values. */
async function putAll(
  { keys, region: name }: GeodeWriteEntries,
  bytes: Buffer,
  { grid, limits }: Api,
): Promise<void> {
  const values = await parseDocuments(bytes, limits, keys.length);
  const region = await grid.region(name);
  const last = new Map(keys.map((key, index) => [key, values[index] ?? '']));
  await region.put(
    [...last].map(([key, value]) => ({ key, value })),
    [],
  );
}

async function writeOne(
  { keys, operation, region: name }: GeodeWriteEntries,
  bytes: Buffer,
  { grid, limits }: Api,
): Promise<void> {
  const key = keys[0] ?? '';
  switch (operation) {
    case 'PUT': {
      const value = await parseDocument(bytes, limits, name);
      await (await grid.region(name)).put([{ key, value }], []);
      return;
    }
    case 'CREATE': {
      const value = await parseDocument(bytes, limits, name);
      const region = await grid.region(name);
      if (region.definition.type === 'EMPTY') throw notSupported(name);
      await region.add({ key, value }, []);
      return;
    }
    case 'REPLACE': {
      const value = await parseSingleDocument(bytes, limits, name);
      await (await grid.region(name)).replace([{ key, value }], []);
      return;
    }
    case 'CAS': {
      const change = { key, ...(await parseComparison(bytes, limits)) };
      await compareAndSet(await grid.region(name), change);
    }
  }
}

/** For an absent key Geode compares and writes nothing, and reports success. */
async function compareAndSet(
  region: GridRegion,
  change: { readonly key: string; readonly expected: string; readonly value: string },
): Promise<void> {
  try {
    await region.compareAndSet(change, [], { isEqual: equalStrictly });
  } catch (error) {
    if (!(error instanceof GridError) || error.code !== 'grid/keys-not-found') throw error;
  }
}

export const removeEntries: AnswerIntent<RemoveEntries> = async (
  { keys, region: name },
  _request,
  { grid },
) => {
  const region = await grid.region(name);
  const impossible = keys.find((key) => key === '');
  if (impossible !== undefined) throw keyMissing(impossible, name);
  await region.remove(keys, []);
  return emptyResponse(200);
};

/** Geode could store the empty key; here it is always absent. */
async function readPossible(
  region: GridRegion,
  keys: readonly string[],
): Promise<readonly (StoredEntry | undefined)[]> {
  const possible = keys.filter((key) => key !== '');
  const found = (await region.read(possible))[Symbol.iterator]();
  return keys.map((key) => (key === '' ? undefined : found.next().value));
}

export function keyMissing(key: string, region: string): GeodeError {
  const text = `Key (${key}) does not exist for region (${region}) in cache!`;
  return refuse('request/bad-keys', 404, text);
}

export function notSupported(region: string): GeodeError {
  const text = `Resource (${region}) configuration does not support the requested operation!`;
  return failOperation('request/bad-operation', text);
}
