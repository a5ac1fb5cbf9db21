// Asks before an unsaved edit is dropped.

import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { showHidden } from '../json/json-text.ts';
import { answerQuestion, discardQuestion } from './unsaved-edit.ts';

export function DiscardDialog() {
  const question = discardQuestion.value;
  if (question === undefined) return null;
  const { base, region } = question.edit;
  return (
    <ConfirmDialog
      title="Discard your changes?"
      action="Discard"
      onConfirm={async () => answerQuestion(true)}
      onClose={() => answerQuestion(false)}
    >
      <p>
        Your changes to <bdi class="mono">{showHidden(base.key)}</bdi> of region {region} are not
        saved.
      </p>
    </ConfirmDialog>
  );
}
