// JSON Merge Patch (RFC 7396): members of the patch replace those of the target, null removes them.
// Members that the patch does not name keep their text.

import { JsonNode } from './json-tree.ts';

/** Both texts must be checked and compact. */
export function applyMergePatch(target: string, patch: string): string {
  return merge(new JsonNode(target), new JsonNode(patch)).print();
}

function merge(target: JsonNode | undefined, patch: JsonNode): JsonNode {
  const changes = patch.members();
  if (changes === undefined) return patch;
  const merged = target?.kind === 'object' ? target : new JsonNode('{}');
  const members = merged.members();
  for (const [name, { node }] of changes) {
    if (node.kind === 'null') members?.delete(name);
    else merged.setMember(name, merge(members?.get(name)?.node, node));
  }
  return merged;
}
