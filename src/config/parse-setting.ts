// Parses a setting from the text of a flag or variable, or from a YAML value. An error message is
// the end of a sentence that begins with the location of the setting.

import type { SettingValue } from './config.ts';
import type { SettingKind } from './setting.ts';

export type ParsedSetting =
  | { readonly kind: 'parsed'; readonly value: SettingValue }
  /** For example `must be on or off`. */
  | { readonly kind: 'refused'; readonly rule: string };

export function parseSetting(type: SettingKind, raw: unknown): ParsedSetting {
  switch (type.kind) {
    case 'integer':
      return parseNumber(toInteger(raw), type.min, type.max, 'a whole number');
    case 'bytes':
      return parseNumber(toBytes(raw), type.min, type.max, 'a number of bytes (such as 8 MiB)');
    case 'choice':
      return typeof raw === 'string' && type.words.includes(raw)
        ? parsed(raw)
        : refused(`must be one of ${type.words.join(', ')}`);
    case 'switch':
      return parseSwitch(raw);
    case 'text':
      return typeof raw === 'string' && raw.trim() !== ''
        ? parsed(raw)
        : refused('must be a text that is not empty');
    case 'list':
      return parseList(raw, type.words);
  }
}

function parsed(value: SettingValue): ParsedSetting {
  return { kind: 'parsed', value };
}

function refused(rule: string): ParsedSetting {
  return { kind: 'refused', rule };
}

function parseNumber(
  value: number | undefined,
  min: number,
  max: number,
  noun: string,
): ParsedSetting {
  if (value !== undefined && value >= min && value <= max) return parsed(value);
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return refused(`must be ${noun} ${range}`);
}

function toInteger(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : undefined;
  if (typeof raw !== 'string' || !/^-?\d(?:_?\d)*$/.test(raw.trim())) return undefined;
  const value = Number(raw.trim().replaceAll('_', ''));
  return Number.isSafeInteger(value) ? value : undefined;
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

function toBytes(raw: unknown): number | undefined {
  if (typeof raw !== 'string') return toInteger(raw);
  const [, digits, unit = 'B'] = /^\s*([\d_]+)\s*([KMG]iB|B)?\s*$/.exec(raw) ?? [];
  const amount = toInteger(digits);
  return amount === undefined ? undefined : amount * (BYTE_UNITS[unit] ?? 1);
}

function parseSwitch(raw: unknown): ParsedSetting {
  if (typeof raw === 'boolean') return parsed(raw);
  if (raw === 'on' || raw === 'true') return parsed(true);
  if (raw === 'off' || raw === 'false') return parsed(false);
  return refused('must be on or off');
}

/** A YAML list of texts, or one text with commas. */
function parseList(raw: unknown, words: readonly string[] | undefined): ParsedSetting {
  const items: readonly unknown[] | undefined =
    typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : toArray(raw);
  if (items === undefined) return refused('must be a list of texts');
  const texts = items.filter((item) => typeof item === 'string' && item !== '');
  if (words !== undefined && !texts.every((text) => words.includes(String(text)))) {
    return refused(`must be a list of ${words.join(', ')}`);
  }
  return texts.length === items.length || raw === ''
    ? parsed(texts.map(String))
    : refused('must be a list of texts');
}

function toArray(raw: unknown): readonly unknown[] | undefined {
  return Array.isArray(raw) ? raw : undefined;
}
