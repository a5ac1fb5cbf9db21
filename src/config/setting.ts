// The type of a setting, and the kinds of values that settings take.

import type { SettingValue } from './config.ts';

export type SettingKind =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** A number of bytes; `8 MiB` and the like are accepted too. */
  | { readonly kind: 'bytes'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly words: readonly string[] }
  | { readonly kind: 'switch' }
  | { readonly kind: 'text' }
  /** `words`: the only permitted elements. */
  | { readonly kind: 'list'; readonly words?: readonly string[] };

export interface Setting {
  readonly type: SettingKind;
  readonly fallback: SettingValue;
  /** A sentence for people. */
  readonly doc: string;
  /** A shorter flag for a frequent setting; `value` makes it a flag without argument. */
  readonly flag?: { readonly name: string; readonly value?: string };
  /** Never shown, and never accepted as a flag, because flags are visible in process lists. */
  readonly secret?: true;
}

export const MAX: number = Number.MAX_SAFE_INTEGER;
/** The longest delay that a timer of Node can have: 24 days. */
export const LONGEST_MS: number = 2 ** 31 - 1;
export const KIB: number = 1024;
export const MIB: number = 1024 * KIB;

export const text: SettingKind = { kind: 'text' };
export const list: SettingKind = { kind: 'list' };
export const onOff: SettingKind = { kind: 'switch' };
export const count = (min: number, max: number): SettingKind => ({ kind: 'integer', min, max });
export const ms = (min: number): SettingKind => ({ kind: 'integer', min, max: LONGEST_MS });
export const bytes = (min: number, max: number): SettingKind => ({ kind: 'bytes', min, max });
export const someOf = (...words: readonly string[]): SettingKind => ({ kind: 'list', words });
export const oneOf = (...words: readonly string[]): SettingKind => ({ kind: 'choice', words });
