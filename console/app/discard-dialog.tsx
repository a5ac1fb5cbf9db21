// Asks before an unsaved edit, or the text of a new entry, is dropped.

import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { showHidden } from '../json/json-text.ts';
import { answerQuestion, discardQuestion } from './unsaved-edit.ts';

export function DiscardDialog() {
  const question = discardQuestion.value;
  if (question === undefined) return null;
  const { key, region } = question;
  return (
    <ConfirmDialog
      title="Discard your changes?"
      action="Discard"
      onConfirm={async () => answerQuestion(true)}
      onClose={() => answerQuestion(false)}
    >
      <p>
        {key === undefined ? 'Your new entry' : 'Your changes to '}
        {key !== undefined && <bdi class="mono">{showHidden(key)}</bdi>} of region {region}{' '}
        {key === undefined ? 'is' : 'are'} not saved.
      </p>
    </ConfirmDialog>
  );
}
