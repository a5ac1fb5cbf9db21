// A value as a tree. Parts are read when they are opened, and long texts and lists are shown in
// pieces, so a value of any size opens at once.

import { useSignal } from '@preact/signals';
import { Icon } from '../design/icon.tsx';
import { printBytes, printCount } from '../design/print-numbers.ts';
import { childrenOf, type JsonChild, kindAt, rootOf, showHidden, showName } from './json-text.ts';

const SHOWN_CHILDREN = 100;
const SHOWN_CHARACTERS = 1000;
/** Values up to this length are opened two levels deep. */
const SMALL = 20_000;

export function JsonTree({ text }: { readonly text: string }) {
  const root = rootOf(text);
  return (
    <div class="json-tree">
      <JsonNode text={text} child={{ ...root, name: undefined }} depth={0} />
    </div>
  );
}

interface JsonNodeProps {
  readonly text: string;
  readonly child: JsonChild;
  readonly depth: number;
}

function JsonNode({ child, depth, text }: JsonNodeProps) {
  const kind = kindAt(text, child.start);
  if (kind === 'object' || kind === 'array') {
    return <JsonParent text={text} child={child} depth={depth} />;
  }
  return (
    <div class="json-line">
      <Name name={child.name} />
      <JsonScalar text={text.slice(child.start, child.end)} />
    </div>
  );
}

function JsonParent({ child, depth, text }: JsonNodeProps) {
  const isOpen = useSignal(depth === 0 || (depth < 3 && child.end - child.start < SMALL));
  const shown = useSignal(SHOWN_CHILDREN);
  const isObject = text[child.start] === '{';
  const isEmpty = /^.\s*.$/s.test(text.slice(child.start, Math.min(child.end, child.start + 50)));
  if (isEmpty) {
    return (
      <div class="json-line">
        <Name name={child.name} />
        <span class="json-mark">{isObject ? '{}' : '[]'}</span>
      </div>
    );
  }
  const children = isOpen.value ? childrenOf(text, child.start) : [];
  return (
    <div class="json-parent">
      <button
        type="button"
        class="json-toggle"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="chevron" />
        <Name name={child.name} />
        <span class="json-mark">{isObject ? '{' : '['}</span>
        <span class="json-note">{isOpen.value ? printSize(children.length, isObject) : '…'}</span>
      </button>
      {isOpen.value && (
        <div class="json-children">
          {children.slice(0, shown.value).map((inner, i) => (
            <JsonNode
              key={inner.start}
              text={text}
              child={isObject ? inner : { ...inner, name: String(i) }}
              depth={depth + 1}
            />
          ))}
          {children.length > shown.value && (
            <button
              type="button"
              class="json-more"
              onClick={() => {
                shown.value += 10 * SHOWN_CHILDREN;
              }}
            >
              Show more: {printCount(children.length - shown.value)} are left
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function printSize(count: number, isObject: boolean): string {
  const noun = isObject ? 'member' : 'element';
  return `${printCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function Name({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <bdi class="json-name">{showName(name)}</bdi>
      <span class="json-mark">: </span>
    </>
  );
}

/** A string, number or word, as it is written. */
export function JsonScalar({ text }: { readonly text: string }) {
  const shown = useSignal(SHOWN_CHARACTERS);
  const isCut = text.length > shown.value;
  return (
    <>
      <bdi class={`json-${kindAt(text, 0)}`}>{showHidden(text.slice(0, shown.value))}</bdi>
      {isCut && (
        <button
          type="button"
          class="json-more"
          onClick={() => {
            shown.value *= 10;
          }}
        >
          … show more of {printBytes(text.length)}
        </button>
      )}
    </>
  );
}
