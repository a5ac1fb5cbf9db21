// Bodies of the management plane: a JSON object with known members, each
// checked into a type. Not for values of entries, which are never parsed.

import { nearestName } from '../../value/nearest-name.ts';
import { badBody } from '../errors.ts';

export class JsonObject {
  readonly #members: ReadonlyMap<string, unknown>;

  /** Refuses anything but an object, and unknown members, naming the nearest known one. */
  constructor(text: string, known: readonly string[]) {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      throw badBody('The body must be a JSON object');
    }
    this.#members = new Map(Object.entries(parsed));
    refuseUnknownMembers(this.#members.keys(), known);
  }

  /** The parsed member, unchecked; undefined when it is absent. */
  member(name: string): unknown {
    return this.#members.get(name);
  }

  requireString(name: string): string {
    const value = this.optionalString(name);
    if (value === undefined) {
      throw badBody(`The body needs the member ${name}, a string`);
    }
    return value;
  }

  /** Undefined when the member is absent or null. */
  optionalString(name: string): string | undefined {
    const value = this.#members.get(name) ?? undefined;
    if (value !== undefined && typeof value !== 'string') {
      throw badBody(`The member ${name} must be a string`);
    }
    return value;
  }

  /** Undefined when the member is absent or null. */
  optionalFlag(name: string): boolean | undefined {
    const value = this.#members.get(name) ?? undefined;
    if (value !== undefined && typeof value !== 'boolean') {
      throw badBody(`The member ${name} must be true or false`);
    }
    return value;
  }
}

/** Refuses the first member that is not known, naming the nearest right one. */
export function refuseUnknownMembers(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? `known: ${known.join(', ')}` : `did you mean ${nearest}?`;
    throw badBody(`Unknown member (${name}) in the body; ${hint}`);
  }
}
