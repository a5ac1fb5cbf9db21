// A value as a tree, as text or as a table.

import { useSignal } from '@preact/signals';
import { Button } from '../../design/button.tsx';
import { Segments } from '../../design/field.tsx';
import { printBytes } from '../../design/print-numbers.ts';
import { indentJson, showLines } from '../../json/json-text.ts';
import '../../json/json.css';
import { JsonTable } from '../../json/json-table.tsx';
import { JsonTree } from '../../json/json-tree.tsx';

type Form = 'tree' | 'text' | 'table';

const FORMS: readonly { readonly value: Form; readonly title: string }[] = [
  { value: 'tree', title: 'Tree' },
  { value: 'text', title: 'Text' },
  { value: 'table', title: 'Table' },
];

const SHOWN_CHARACTERS = 50_000;

export function ValueView({ text }: { readonly text: string }) {
  const form = useSignal<Form>('tree');
  return (
    <>
      <div class="value-forms">
        <Segments
          label="Form of the value"
          value={form.value}
          options={FORMS}
          onChange={(value) => {
            form.value = value;
          }}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it is reached by keyboard */}
      <section class="value-frame" aria-label="Value" tabIndex={0}>
        {form.value === 'tree' && <JsonTree text={text} />}
        {form.value === 'text' && <ValueText text={text} />}
        {form.value === 'table' && <JsonTable text={text} />}
      </section>
    </>
  );
}

function ValueText({ text }: { readonly text: string }) {
  const shown = useSignal(SHOWN_CHARACTERS);
  const indented = indentJson(text);
  const isCut = indented.length > shown.value;
  return (
    <>
      <pre class="json-text">{showLines(indented.slice(0, shown.value))}</pre>
      {isCut && (
        <div class="entries-note">
          <Button
            onClick={() => {
              shown.value *= 4;
            }}
          >
            Show more of {printBytes(indented.length)}
          </Button>
        </div>
      )}
    </>
  );
}
