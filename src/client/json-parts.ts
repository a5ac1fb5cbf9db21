// The texts of the members of an object and of the elements of an array, as the service prints
// them: compact JSON.

export function membersOf(compact: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const part of partsOf(compact)) {
    const colon = endOfString(part, 0);
    members.set(JSON.parse(part.slice(0, colon)) as string, part.slice(colon + 1)); // a string
  }
  return members;
}

/** The elements of an array, or the members of an object with their names. */
export function partsOf(compact: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < compact.length; at += 1) {
    const character = compact[at];
    if (character === '"') at = endOfString(compact, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',' && depth === 1) {
      parts.push(compact.slice(start, at));
      start = at + 1;
    }
  }
  const last = compact.slice(start, -1);
  return last === '' ? parts : [...parts, last];
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
