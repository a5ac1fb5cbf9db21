// The filter of changes, and their start.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangeOperation } from '../../../src/client/index.ts';
import { Button } from '../../design/button.tsx';
import { Check, Input, Select } from '../../design/field.tsx';
import type { FeedFilter } from './feed.ts';

type Kind = 'all' | 'prefix' | 'key' | 'where';

const KINDS: readonly { readonly value: Kind; readonly title: string }[] = [
  { value: 'all', title: 'All entries' },
  { value: 'prefix', title: 'Keys that begin with' },
  { value: 'key', title: 'One key' },
  { value: 'where', title: 'Values that meet a condition' },
];

/** Operations on entries; changes of the region itself are always shown. */
const CHOICES: readonly {
  readonly operations: readonly ChangeOperation[];
  readonly title: string;
}[] = [
  { operations: ['put'], title: 'Writes' },
  { operations: ['remove'], title: 'Removals' },
  { operations: ['expire'], title: 'Expiries' },
  { operations: ['clear', 'create-region', 'destroy-region'], title: 'Changes of the region' },
];

interface ChangesFilterProps {
  readonly filter: FeedFilter;
  readonly onChange: (filter: FeedFilter) => void;
}

export function ChangesFilter({ filter, onChange }: ChangesFilterProps) {
  const kind = useSignal(kindOf(filter));
  const text = useSignal(filter.key ?? filter.prefix ?? filter.where ?? '');
  const since = useSignal(filter.since === undefined ? '' : String(filter.since));
  const operations = useSignal<ReadonlySet<ChangeOperation>>(
    new Set(filter.operations ?? allOperations()),
  );
  // Another start may be chosen below, if the requested one is no longer kept.
  useEffect(() => {
    since.value = filter.since === undefined ? '' : String(filter.since);
  }, [filter.since]);
  const isSequence = /^\d{0,15}$/.test(since.value);
  const apply = (): void => {
    if (!isSequence || operations.value.size === 0) return;
    const isAll = operations.value.size === allOperations().length;
    const isFiltered = kind.value !== 'all' && text.value !== '';
    onChange({
      ...(isFiltered ? { [kind.value]: text.value } : {}),
      operations: isAll ? undefined : [...operations.value],
      since: since.value === '' ? undefined : Number(since.value),
    });
  };
  return (
    <form
      class="changes-filter"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <div class="changes-fields">
        <Select
          label="Show"
          value={kind.value}
          options={KINDS}
          onChange={(value) => {
            kind.value = value;
            text.value = '';
          }}
        />
        {kind.value !== 'all' && (
          <Input
            label={kind.value === 'where' ? 'Condition' : 'Key'}
            placeholder={kind.value === 'where' ? 'value.total > 100' : ''}
            value={text.value}
            isMono
            onInput={(value) => {
              text.value = value;
            }}
          />
        )}
        <Input
          label="After sequence"
          placeholder="now"
          value={since.value}
          error={isSequence ? undefined : 'A whole number; 0 for everything that is kept'}
          onInput={(value) => {
            since.value = value.trim();
          }}
        />
      </div>
      <div class="changes-choice">
        <OperationChecks operations={operations} />
        <Button type="submit" icon="filter" disabled={!isSequence || operations.value.size === 0}>
          Apply
        </Button>
      </div>
    </form>
  );
}

interface OperationChecksProps {
  readonly operations: Signal<ReadonlySet<ChangeOperation>>;
}

/** A check box for each choice of operations. */
function OperationChecks({ operations }: OperationChecksProps) {
  return CHOICES.map((choice) => (
    <Check
      key={choice.title}
      checked={choice.operations.every((each) => operations.value.has(each))}
      onChange={(checked) => {
        const next = new Set(operations.value);
        for (const each of choice.operations) {
          if (checked) next.add(each);
          else next.delete(each);
        }
        operations.value = next;
      }}
    >
      {choice.title}
    </Check>
  ));
}

function allOperations(): readonly ChangeOperation[] {
  return CHOICES.flatMap(({ operations }) => operations);
}

function kindOf({ key, prefix, where }: FeedFilter): Kind {
  if (key !== undefined) return 'key';
  if (prefix !== undefined) return 'prefix';
  return where === undefined ? 'all' : 'where';
}
