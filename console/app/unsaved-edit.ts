// The edit of an entry that is not saved yet, and the entry of an open form. The edit is stored here
// and not in the editor, so it outlives an expired login. Everything that would drop one of the two
// asks here first.

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

/** What would be dropped. */
interface Unsaved {
  readonly region: string;
  /** Undefined for a new entry. */
  readonly key: string | undefined;
  readonly drop: () => void;
}

interface Question extends Unsaved {
  /** Called with the answer. */
  readonly waiting: readonly ((isDiscarded: boolean) => void)[];
}

const unsaved = signal<UnsavedEdit | undefined>(undefined);
/** The region whose form for a new entry has text. */
const filledForm = signal<string | undefined>(undefined);

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

/** Stores the region of a form for a new entry while text was typed there. */
export function storeForm(region: string | undefined): void {
  filledForm.value = region;
}

/** True if there is neither an unsaved edit nor a filled form, or the user agrees to discard them. */
export async function mayDiscardEdit(): Promise<boolean> {
  if (!(await mayDiscardForm())) return false;
  const edit = unsaved.peek();
  if (edit === undefined) return true;
  const drop = (): void => {
    unsaved.value = undefined;
  };
  return ask({ region: edit.region, key: edit.base.key, drop });
}

/** True if no text was typed into the form, or the user agrees to discard it. */
export async function mayDiscardForm(): Promise<boolean> {
  const region = filledForm.peek();
  return region === undefined || ask({ region, key: undefined, drop: () => storeForm(undefined) });
}

function ask(dropped: Unsaved): Promise<boolean> {
  return new Promise((resolve) => {
    const question = discardQuestion.peek() ?? { ...dropped, waiting: [] };
    discardQuestion.value = { ...question, waiting: [...question.waiting, resolve] };
  });
}

/** Closes the open question, if there is one. */
export function answerQuestion(isDiscarded: boolean): void {
  const question = discardQuestion.peek();
  if (question === undefined) return;
  discardQuestion.value = undefined;
  if (isDiscarded) question.drop();
  for (const resolve of question.waiting) resolve(isDiscarded);
}

const isUnsaved = computed(() => unsaved.value !== undefined || filledForm.value !== undefined);

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
