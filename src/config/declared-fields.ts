// Reads declarations of the config file (maps and lists), and reports unknown and invalid members.

import { suggestName } from './suggest-name.ts';

export type ReportProblem = (problem: string) => void;

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export type DeclaredFields = Readonly<Record<string, unknown>>;

export function isRecord(plain: unknown): plain is DeclaredFields {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain);
}

export function parseEach<T>(
  plain: unknown,
  where: string,
  report: ReportProblem,
  parse: (fields: DeclaredFields, where: string, report: ReportProblem) => T | undefined,
): readonly T[] {
  if (!Array.isArray(plain)) {
    report(`${where} must be a list`);
    return [];
  }
  return plain.flatMap((item: unknown, index) => {
    const path = `${where}[${index}]`;
    if (isRecord(item)) return parse(item, path, report) ?? [];
    report(`${path} must be a map`);
    return [];
  });
}

export function reportRepeats(
  noun: string,
  things: readonly { readonly name: string }[],
  report: ReportProblem,
): void {
  const seen = new Set<string>();
  for (const { name } of things) {
    if (seen.has(name)) report(`${noun} ${name} is declared twice`);
    seen.add(name);
  }
}

/** Reads the members of one declaration, and reports unknown and invalid ones. */
export class FieldReader {
  readonly #plain: DeclaredFields;
  readonly #where: string;
  readonly #report: ReportProblem;

  constructor(
    plain: DeclaredFields,
    where: string,
    members: readonly string[],
    report: ReportProblem,
  ) {
    this.#plain = plain;
    this.#where = where;
    this.#report = report;
    for (const member of Object.keys(plain)) {
      if (!members.includes(member)) {
        report(`unknown setting ${where}.${member}${suggestName(member, members)}`);
      }
    }
  }

  text(member: string): string | undefined {
    const text = this.optionalText(member);
    if (text === undefined && (this.#plain[member] ?? null) === null) {
      this.#report(`${this.#where}.${member} is missing`);
    }
    return text;
  }

  optionalText(member: string): string | undefined {
    const plain = this.#plain[member] ?? undefined;
    if (plain === undefined || (typeof plain === 'string' && plain !== '')) return plain;
    this.#report(`${this.#where}.${member} must be a text`);
    return undefined;
  }

  optionalFlag(member: string): boolean | undefined {
    const plain = this.#plain[member] ?? undefined;
    if (plain === undefined || typeof plain === 'boolean') return plain;
    this.#report(`${this.#where}.${member} must be true or false`);
    return undefined;
  }

  /**
   * A text that is given as `member`, or in the environment variable named by `member-env`. Neither
   * text is ever shown, because a user may write the secret where the name belongs.
   */
  secret(member: string, environment: EnvironmentVariables): string | undefined {
    const written = this.optionalText(member);
    const name = this.optionalText(`${member}-env`);
    if (name === undefined) return written;
    const where = `${this.#where}.${member}-env`;
    if (written !== undefined) this.#report(`${where} and ${member} exclude each other`);
    const found = environment[name] ?? '';
    if (found === '') this.#report(`${where} names a variable that is not set`);
    return found;
  }

  /** As `secret`, but required. */
  requiredSecret(member: string, environment: EnvironmentVariables): string | undefined {
    const text = this.secret(member, environment);
    if (text === undefined && (this.#plain[member] ?? null) === null) {
      this.#report(`${this.#where}.${member} is missing`);
    }
    return text;
  }

  word<W extends string>(member: string, words: readonly W[], fallback: W): W {
    const plain = this.#plain[member] ?? fallback;
    const found = words.find((word) => word === plain);
    if (found === undefined) {
      this.#report(`${this.#where}.${member} must be one of ${words.join(', ')}`);
    }
    return found ?? fallback;
  }

  /** A list of texts; a single text counts as a list of one. Absent: an empty list. */
  texts(member: string): readonly string[] {
    const plain = this.#plain[member] ?? [];
    const list: readonly unknown[] = Array.isArray(plain) ? plain : [plain];
    const texts = list.filter((item) => typeof item === 'string' && item !== '').map(String);
    if (texts.length < list.length) {
      this.#report(`${this.#where}.${member} must be a list of texts`);
    }
    return texts;
  }

  count(member: string, fallback: number, max: number): number {
    const plain = this.#plain[member] ?? fallback;
    if (typeof plain === 'number' && Number.isInteger(plain) && plain >= 0 && plain <= max) {
      return plain;
    }
    this.#report(`${this.#where}.${member} must be a whole number from 0 to ${max}`);
    return fallback;
  }
}
