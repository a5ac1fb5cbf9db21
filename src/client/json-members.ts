// The members of a JSON object, each as its own text: a codec decides what becomes of a value, so
// it must not be parsed before.

/** A string, or a character that gives an object its structure. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/** Takes JSON as the service prints it. */
export function splitMembers(object: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let last = '';
  let name: string | undefined;
  let start = 0;
  for (const { 0: token, index } of object.matchAll(TOKEN)) {
    if (depth === 1 && token === ':') {
      name = JSON.parse(last) as string; // a string of JSON stands before each colon
      start = index + 1;
    } else if (depth === 1 && name !== undefined && (token === ',' || token === '}')) {
      members.set(name, object.slice(start, index));
    }
    if (OPENING.has(token)) depth += 1;
    else if (CLOSING.has(token)) depth -= 1;
    last = token;
  }
  return members;
}
