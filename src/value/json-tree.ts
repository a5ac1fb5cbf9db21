// A JSON text that can be edited in parts. A part stays text until something below it is read, so
// untouched parts keep their bytes: the form of numbers, the escapes in strings and names.

import { type JsonKind, kindOfJson, listMembers, splitArray } from './json-text.ts';

export interface JsonMember {
  /** The name as it is written, with its quotes. */
  readonly nameText: string;
  readonly node: JsonNode;
}

type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly members: Map<string, JsonMember> }
  | { readonly kind: 'array'; readonly elements: JsonNode[] };

export class JsonNode {
  #content: Content;

  /** The text must be checked and compact. */
  constructor(compact: string) {
    this.#content = { kind: 'text', text: compact };
  }

  get kind(): JsonKind {
    return this.#content.kind === 'text' ? kindOfJson(this.#content.text) : this.#content.kind;
  }

  /** The members of an object by name, to be read and changed; undefined for other kinds. */
  members(): Map<string, JsonMember> | undefined {
    if (this.#content.kind === 'object') return this.#content.members;
    if (this.#content.kind !== 'text' || this.kind !== 'object') return undefined;
    const members = new Map<string, JsonMember>();
    for (const { name, nameText, text } of listMembers(this.#content.text)) {
      members.set(name, { nameText, node: new JsonNode(text) });
    }
    this.#content = { kind: 'object', members };
    return members;
  }

  /** The elements of an array, to be read and changed; undefined for other kinds. */
  elements(): JsonNode[] | undefined {
    if (this.#content.kind === 'array') return this.#content.elements;
    if (this.#content.kind !== 'text' || this.kind !== 'array') return undefined;
    const elements = splitArray(this.#content.text).map((text) => new JsonNode(text));
    this.#content = { kind: 'array', elements };
    return elements;
  }

  /** Replaces a member in its place, or appends it when there is none of this name. */
  setMember(name: string, node: JsonNode): void {
    const members = this.members();
    if (members === undefined) throw new TypeError('Only an object has members');
    const nameText = members.get(name)?.nameText ?? JSON.stringify(name);
    members.set(name, { nameText, node });
  }

  print(): string {
    switch (this.#content.kind) {
      case 'text':
        return this.#content.text;
      case 'object': {
        const members = [...this.#content.members.values()];
        return `{${members.map(({ nameText, node }) => `${nameText}:${node.print()}`).join()}}`;
      }
      case 'array':
        return `[${this.#content.elements.map((element) => element.print()).join()}]`;
    }
  }
}
