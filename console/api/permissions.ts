// The permissions of a login, from `GET /grid-admin/v1/login`. The service decides; the console
// only hides actions that it would refuse.

/** The permission an action needs: `['DATA', 'WRITE', region]`. */
export type Need = readonly [domain: string, action: string, ...rest: readonly string[]];

export class Permissions {
  readonly #grants: readonly (readonly string[])[];

  /** In the form that settings take: `DATA:READ:orders:7`. The last part may hold colons itself. */
  constructor(texts: readonly string[]) {
    this.#grants = texts.map((text) => (text === '*' ? [] : splitGrant(text)));
  }

  /** Whether one grant covers the whole need. */
  allows(need: Need): boolean {
    return this.#grants.some((grant) => grant.every((part, i) => part === '*' || part === need[i]));
  }

  /**
   * Whether the need or anything below it is granted: permission for one key makes its region
   * visible.
   */
  allowsSome(need: readonly string[]): boolean {
    return this.#grants.some((grant) =>
      need.every((part, i) => grant[i] === undefined || grant[i] === '*' || grant[i] === part),
    );
  }
}

function splitGrant(text: string): readonly string[] {
  const parts = text.split(':');
  // DATA has a region and a key after the action, QUERY an id.
  const most = parts[0] === 'DATA' ? 4 : 3;
  if (parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(':')];
}
