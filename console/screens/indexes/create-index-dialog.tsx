// Creates an index on a value of the entries.

import { useSignal } from '@preact/signals';
import { regionPath } from '../../api/region-path.ts';
import { call } from '../../api/session.ts';
import { Check, Input, Select } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { showToast } from '../../design/toasts.tsx';

type Kind = 'range' | 'hash';

const KINDS: readonly { readonly value: Kind; readonly title: string }[] = [
  { value: 'range', title: 'Range: equality, order, ranges' },
  { value: 'hash', title: 'Hash: equality only, less memory' },
];

interface CreateIndexDialogProps {
  readonly region: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateIndexDialog({ onClose, onCreated, region }: CreateIndexDialogProps) {
  const path = useSignal('');
  const name = useSignal('');
  const kind = useSignal<Kind>('range');
  const isUnique = useSignal(false);
  const shownName = name.value === '' ? nameFor(region, path.value) : name.value;
  const create = async (): Promise<undefined> => {
    const { expression, from } = toDefinition(region, path.value);
    const unique = isUnique.value ? { unique: true } : {};
    const index = { name: shownName, kind: kind.value, expression, from, ...unique };
    const outcome = await call((client) => client.createIndex(region, index));
    if (outcome === 'exists') throw new Error(`There is an index ${shownName} already.`);
    showToast(`Index ${shownName} was created.`);
    onCreated();
  };
  return (
    <FormDialog
      title={`Create an index of ${region}`}
      action="Create"
      isReady={path.value.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <Input
        label="Value"
        hint="A member, such as customerId or address.city, or an OQL expression such as LOWER(e.name)."
        placeholder="customerId"
        value={path.value}
        isMono
        hasFocus
        onInput={(value) => {
          path.value = value;
        }}
      />
      <Select
        label="Kind"
        value={kind.value}
        options={KINDS}
        onChange={(value) => {
          kind.value = value;
        }}
      />
      <Input
        label="Name"
        value={shownName}
        isMono
        onInput={(value) => {
          name.value = value;
        }}
      />
      <Check
        checked={isUnique.value}
        onChange={(checked) => {
          isUnique.value = checked;
        }}
      >
        Unique: refuse writes that would give two entries the same value
      </Check>
    </FormDialog>
  );
}

const PLAIN_PATH = /^[A-Za-z_@]\w*(?:\.[A-Za-z_@]\w*)*$/;

/** A plain path gets the alias `e`; anything else is an expression that has it already. */
function toDefinition(region: string, text: string): { expression: string; from: string } {
  const path = text.trim();
  const isPlain = PLAIN_PATH.test(path) && !path.startsWith('e.');
  // `@type` is a name only in quotes.
  const quoted = path.replaceAll(/@\w*/g, '"$&"');
  return { expression: isPlain ? `e.${quoted}` : path, from: `${regionPath(region)} e` };
}

function nameFor(region: string, path: string): string {
  const words = path.replace(/^e\./, '').match(/\w+/g) ?? [];
  return words.length === 0 ? '' : `${region}-by-${words.join('-').toLowerCase()}`;
}
