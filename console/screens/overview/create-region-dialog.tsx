// Creates a region.

import { useSignal } from '@preact/signals';
import { loadRegions } from '../../api/regions.ts';
import { call } from '../../api/session.ts';
import { navigate } from '../../app/router.ts';
import { Input, Select } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { showToast } from '../../design/toasts.tsx';

type RegionType = 'REPLICATE' | 'PARTITION' | 'EMPTY';

const TYPES: readonly { readonly value: RegionType; readonly title: string }[] = [
  { value: 'REPLICATE', title: 'Replicate' },
  { value: 'PARTITION', title: 'Partition' },
  { value: 'EMPTY', title: 'Empty (stores no entries, reports changes)' },
];

const KEY_TYPES = [
  { value: '', title: 'Any text' },
  { value: 'java.lang.Integer', title: 'Integer' },
  { value: 'java.lang.Long', title: 'Long' },
] as const;

export function CreateRegionDialog({ onClose }: { readonly onClose: () => void }) {
  const name = useSignal('');
  const type = useSignal<RegionType>('REPLICATE');
  const keyType = useSignal<(typeof KEY_TYPES)[number]['value']>('');
  const create = async (): Promise<undefined> => {
    const region = name.value.trim();
    const outcome = await call((client) =>
      client.createRegion({
        name: region,
        type: type.value,
        keyConstraint: keyType.value === '' ? null : keyType.value,
        valueConstraint: null,
      }),
    );
    if (outcome === 'exists') throw new Error(`There is a region ${region} already.`);
    await loadRegions();
    showToast(`Region ${region} was created.`);
    navigate({ screen: '', region });
  };
  return (
    <FormDialog
      title="Create a region"
      action="Create"
      isReady={name.value.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <Input
        label="Name"
        hint="Letters, digits, “-”, “_” and “.”"
        value={name.value}
        isMono
        hasFocus
        onInput={(value) => {
          name.value = value;
        }}
      />
      <Select
        label="Type"
        hint="Clients of Geode see the type. Replicate and Partition store entries in the same way."
        value={type.value}
        options={TYPES}
        onChange={(value) => {
          type.value = value;
        }}
      />
      <Select
        label="Keys"
        value={keyType.value}
        options={KEY_TYPES}
        onChange={(value) => {
          keyType.value = value;
        }}
      />
    </FormDialog>
  );
}
