// Selects a file, and how its rows are imported.

import { useSignal } from '@preact/signals';
import { newId } from '../../api/new-id.ts';
import { Button } from '../../design/button.tsx';
import { Check, Segments, Select } from '../../design/field.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printBytes } from '../../design/print-numbers.ts';
import { FileDrop } from './file-drop.tsx';
import { ImportReport } from './import-report.tsx';
import { PreviewTable } from './preview-table.tsx';
import { type FileForm, findForm } from './read-file.ts';
import { currentImport, startImport } from './run-import.ts';
import type { KeyChoice } from './to-item.ts';
import { type FileChoice, usePreview } from './use-preview.ts';

const FORMS: readonly { readonly value: FileForm; readonly title: string }[] = [
  { value: 'ndjson', title: 'NDJSON' },
  { value: 'array', title: 'JSON array' },
  { value: 'csv', title: 'CSV' },
];

const EXISTING = [
  { value: 'overwrite', title: 'Overwrite them' },
  { value: 'skip', title: 'Leave them as they are' },
] as const;

interface ImportFormProps {
  readonly regions: readonly string[];
  /** Initial selection. */
  readonly region: string | undefined;
}

export function ImportForm({ region, regions }: ImportFormProps) {
  const choice = useSignal<FileChoice | undefined>(undefined);
  const target = useSignal(region !== undefined && regions.includes(region) ? region : regions[0]);
  const state = currentImport.value;
  const choose = async (file: File): Promise<void> => {
    const form = await findForm(file);
    choice.value = { file, form, findsTypes: true };
    currentImport.value = undefined;
  };
  if (state !== undefined) return <ImportReport state={state} />;
  if (choice.value === undefined) return <FileDrop onFile={(file) => void choose(file)} />;
  return (
    <ChosenFile
      key={choice.value.file}
      choice={choice.value}
      regions={regions}
      region={target.value ?? ''}
      onRegion={(name) => {
        target.value = name;
      }}
      onChange={(next) => {
        choice.value = next;
      }}
    />
  );
}

interface ChosenFileProps {
  readonly choice: FileChoice;
  readonly regions: readonly string[];
  readonly region: string;
  readonly onRegion: (name: string) => void;
  readonly onChange: (choice: FileChoice | undefined) => void;
}

/** `field:` is the prefix of field names. */
type KeyOption = 'member' | 'generated' | `field:${string}`;

function ChosenFile({ choice, onChange, onRegion, region, regions }: ChosenFileProps) {
  const { file, findsTypes, form } = choice;
  const preview = usePreview(choice);
  const existing = useSignal<'overwrite' | 'skip'>('overwrite');
  const chosenKey = useSignal<KeyOption | undefined>(undefined);
  const prefix = useSignal(`${Date.now().toString(36)}${newId().slice(0, 6)}`).value;
  const suggested = preview.suggestion === undefined ? 'generated' : toOption(preview.suggestion);
  const options = keyOptions(preview.fields);
  // Ignores a selected field that the file does not have in another form.
  const option = options.find(({ value }) => value === chosenKey.value)?.value ?? suggested;
  const key = toChoice(option, prefix);
  return (
    <section class="card card-body transfer-form" aria-label="What to import">
      <header class="transfer-file">
        <h2>{file.name}</h2>
        <span class="quiet">{printBytes(file.size)}</span>
        <Button size="small" onClick={() => onChange(undefined)}>
          Choose another file
        </Button>
      </header>
      <div class="transfer-choice">
        <Segments
          label="Form of the file"
          value={form}
          options={FORMS}
          onChange={(next) => onChange({ ...choice, form: next })}
        />
        {form === 'csv' && (
          <Check
            checked={findsTypes}
            onChange={(checked) => onChange({ ...choice, findsTypes: checked })}
          >
            Read numbers, true, false and null as such
          </Check>
        )}
      </div>
      <div class="transfer-fields">
        <Select
          label="Region"
          value={region}
          options={regions.map((name) => ({ value: name, title: name }))}
          onChange={onRegion}
        />
        <Select
          label="Key"
          value={option}
          options={options}
          onChange={(value) => {
            chosenKey.value = value;
          }}
        />
        <Select
          label="Keys that exist"
          value={existing.value}
          options={EXISTING}
          onChange={(value) => {
            existing.value = value;
          }}
        />
      </div>
      {preview.error !== undefined && <ErrorNotice error={preview.error} />}
      {preview.rows !== undefined && <PreviewTable rows={preview.rows} choice={key} form={form} />}
      <div>
        <Button
          kind="primary"
          icon="upload"
          disabled={preview.rows === undefined || preview.rows.length === 0}
          onClick={() =>
            void startImport({ file, form, findsTypes, region, key, existing: existing.value })
          }
        >
          {`Import into ${region}`}
        </Button>
      </div>
    </section>
  );
}

function keyOptions(fields: readonly string[]) {
  return [
    ...fields.map((name) => ({ value: `field:${name}` as KeyOption, title: `Field ${name}` })),
    { value: 'member' as KeyOption, title: 'Rows are {"key": …, "value": …}' },
    { value: 'generated' as KeyOption, title: 'New keys, in the order of the file' },
  ];
}

function toOption(suggestion: KeyChoice['kind'] | { readonly field: string }): KeyOption {
  if (typeof suggestion === 'object') return `field:${suggestion.field}`;
  return suggestion === 'member' ? 'member' : 'generated';
}

function toChoice(option: KeyOption, prefix: string): KeyChoice {
  if (option === 'member') return { kind: 'member' };
  if (option === 'generated') return { kind: 'generated', prefix };
  return { kind: 'field', name: option.slice('field:'.length) };
}
