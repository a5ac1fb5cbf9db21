// Changes, newest first: the operation, the key, and the differences of the value.

import { useSignal } from '@preact/signals';
import type { ChangeOperation } from '../../../src/client/index.ts';
import { hrefOf } from '../../app/router.ts';
import { Button } from '../../design/button.tsx';
import { printCount, printTime } from '../../design/print-numbers.ts';
import { Badge } from '../../design/small-parts.tsx';
import type { Difference } from '../../json/diff-json.ts';
import { indentJson, showHidden, showLines } from '../../json/json-text.ts';
import type { ShownChange } from './feed.ts';

const PAGE = 100;
const MAX_DIFFERENCES = 6;
/** Characters of a part, of a value in one line, and of a value that is opened. */
const PART = 80;
const LINE = 300;
const WHOLE = 100_000;

const KINDS: Readonly<Record<ChangeOperation, 'accent' | 'danger' | 'warning' | 'plain'>> = {
  put: 'accent',
  remove: 'danger',
  expire: 'warning',
  clear: 'danger',
  'create-region': 'plain',
  'destroy-region': 'danger',
};

interface ChangeListProps {
  readonly region: string;
  readonly changes: readonly ShownChange[];
}

export function ChangeList({ changes, region }: ChangeListProps) {
  const shown = useSignal(PAGE);
  const left = changes.length - shown.value;
  return (
    <>
      <ol class="change-list" aria-label="Changes, newest first">
        {changes.slice(0, shown.value).map((change) => (
          <ChangeRow key={change.id} region={region} shown={change} />
        ))}
      </ol>
      {left > 0 && (
        <div>
          <Button
            onClick={() => {
              shown.value += PAGE;
            }}
          >
            {`Show more: ${printCount(left)} are left`}
          </Button>
        </div>
      )}
    </>
  );
}

function ChangeRow({ region, shown }: { readonly region: string; readonly shown: ShownChange }) {
  const { key, operation, time, value, version } = shown.change;
  const isOpen = useSignal(false);
  return (
    <li class="change">
      <div class="change-head">
        <Badge kind={KINDS[operation]}>{operation}</Badge>
        {key === undefined ? (
          <span>{region}</span>
        ) : (
          <a
            class="mono change-key"
            href={hrefOf({ screen: 'entries', region, parameters: { key } })}
          >
            {showHidden(key)}
          </a>
        )}
        <span class="quiet change-time">{`version ${version} · ${printTime(time)}`}</span>
        {value !== undefined && (
          <Button
            kind="quiet"
            size="small"
            icon={isOpen.value ? 'down' : 'chevron'}
            label={isOpen.value ? `Hide the value of ${key}` : `Show the value of ${key}`}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          />
        )}
      </div>
      <Summary shown={shown} />
      {isOpen.value && value !== undefined && (
        <pre class="change-value">{showLines(indentJson(value.slice(0, WHOLE)))}</pre>
      )}
    </li>
  );
}

function Summary({ shown: { change, differences } }: { readonly shown: ShownChange }) {
  if (change.superseded === true) {
    return <p class="quiet">Overwritten since; its value is not kept.</p>;
  }
  if (differences === undefined) {
    if (change.value === undefined) return null;
    return <p class="mono change-line">{showHidden(change.value.slice(0, LINE))}</p>;
  }
  if (differences.length === 0) return <p class="quiet">Written again with the same value.</p>;
  const left = differences.length - MAX_DIFFERENCES;
  return (
    <ul class="change-differences" aria-label="Differences">
      {differences.slice(0, MAX_DIFFERENCES).map((difference) => (
        <DifferenceRow key={difference.path} difference={difference} />
      ))}
      {left > 0 && <li class="quiet">{`and ${printCount(left)} more`}</li>}
    </ul>
  );
}

function DifferenceRow({ difference }: { readonly difference: Difference }) {
  const { after, before, path } = difference;
  return (
    <li class="mono">
      {path !== '' && <span class="change-path">{showHidden(path)}</span>}
      {before !== undefined && <del>{cut(before)}</del>}
      {after !== undefined && <ins>{cut(after)}</ins>}
    </li>
  );
}

function cut(text: string): string {
  return showHidden(text.length > PART ? `${text.slice(0, PART)}…` : text);
}
