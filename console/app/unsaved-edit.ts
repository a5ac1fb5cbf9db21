// The edit of an entry that is not saved yet. It is stored here and not in the editor, so it
// outlives an expired login; and everything that would drop it asks here first.

import { computed, effect, signal } from '@preact/signals';
import type { Entry } from '../../src/client/index.ts';
import { session } from '../api/session.ts';
import { indentJson } from '../json/json-text.ts';

interface UnsavedEdit {
  readonly region: string;
  /** The version that the edit began with. */
  readonly base: Entry<string>;
  readonly text: string;
}

interface Question {
  readonly edit: UnsavedEdit;
  /** Called with the answer. */
  readonly waiting: readonly ((isDiscarded: boolean) => void)[];
}

const unsaved = signal<UnsavedEdit | undefined>(undefined);

/** The open question whether to discard the edit. */
export const discardQuestion = signal<Question | undefined>(undefined);

/** Stores the edit, unless its text is the one that it began with. */
export function storeEdit(edit: UnsavedEdit): void {
  unsaved.value = edit.text === indentJson(edit.base.value) ? undefined : edit;
}

/** The unsaved edit of this entry. */
export function findEdit(region: string, key: string): UnsavedEdit | undefined {
  const edit = unsaved.peek();
  return edit?.region === region && edit.base.key === key ? edit : undefined;
}

/** Called after the edit of this entry was saved or discarded. */
export function forgetEdit(region: string, key: string): void {
  if (findEdit(region, key) !== undefined) unsaved.value = undefined;
}

/** True if there is no unsaved edit, or the user agrees to discard it. */
export async function mayDiscardEdit(): Promise<boolean> {
  const edit = unsaved.peek();
  if (edit === undefined) return true;
  return new Promise((resolve) => {
    const waiting = discardQuestion.peek()?.waiting ?? [];
    discardQuestion.value = { edit, waiting: [...waiting, resolve] };
  });
}

/** Closes the open question, if there is one. */
export function answerQuestion(isDiscarded: boolean): void {
  const question = discardQuestion.peek();
  if (question === undefined) return;
  discardQuestion.value = undefined;
  if (isDiscarded) unsaved.value = undefined;
  for (const resolve of question.waiting) resolve(isDiscarded);
}

const isUnsaved = computed(() => unsaved.value !== undefined);

// The browser asks before the page is closed or loaded again.
effect(() => {
  if (!isUnsaved.value) return undefined;
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
});

let lastLogin: string | null | undefined;

// The next login may be another person's, who must not see the edit.
effect(() => {
  if (session.value.kind !== 'open') return;
  const { name } = session.value.login;
  if (name !== lastLogin) unsaved.value = undefined;
  lastLogin = name;
});
