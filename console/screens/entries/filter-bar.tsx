// Filters of the list of keys: by prefix, by condition, or one key.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { replaceRoute, route } from '../../app/router.ts';
import { Button } from '../../design/button.tsx';
import { SearchInput, Segments } from '../../design/field.tsx';
import type { ListState } from './read-rows.ts';

type FilterKind = 'prefix' | 'key' | 'where';

const FILTER_KINDS: readonly { readonly value: FilterKind; readonly title: string }[] = [
  { value: 'prefix', title: 'Prefix' },
  { value: 'key', title: 'Key' },
  { value: 'where', title: 'Condition' },
];

const PLACEHOLDERS: Readonly<Record<FilterKind, string>> = {
  prefix: 'Keys that begin with…',
  key: 'A whole key, then Enter',
  where: 'total > 100, then Enter',
};

/** A filter is applied this long after the last key stroke. */
const TYPING_MS = 250;

interface FilterBarProps {
  readonly region: string;
  readonly filter: ListState;
  readonly onOpenKey: (key: string) => void;
  readonly onNew: (() => void) | undefined;
}

export function FilterBar({ filter, onNew, onOpenKey, region }: FilterBarProps) {
  const kind = useSignal<FilterKind>(filter.where === undefined ? 'prefix' : 'where');
  const text = useSignal(filter.prefix ?? filter.where ?? '');
  const apply = (): void => {
    if (kind.value === 'key') return;
    const value = text.value.trim() === '' ? undefined : text.value;
    filterBy(region, { view: filter.view, [kind.value]: value });
  };
  const typed = text.value;
  const applied = filter.prefix ?? filter.where ?? '';
  // A filter that was chosen elsewhere, as in the tree, shows here.
  useEffect(() => {
    if (kind.value !== 'key') text.value = applied;
  }, [applied]);
  useEffect(() => {
    const isFollowed = kind.value === 'prefix' && typed !== (filter.prefix ?? '');
    if (!isFollowed) return undefined;
    const timer = setTimeout(apply, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form
      class="filter-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (kind.value === 'key' && typed !== '') onOpenKey(typed);
        else apply();
      }}
    >
      <div class="filter-kinds">
        <Segments
          label="Filter by"
          value={kind.value}
          options={FILTER_KINDS}
          onChange={(value) => {
            kind.value = value;
            text.value = '';
            if (filter.prefix !== undefined || filter.where !== undefined) apply();
          }}
        />
        <div class="filter-actions">
          {kind.value !== 'where' && (
            <Button
              icon="tree"
              label="Keys as a tree"
              isPressed={filter.view === 'tree'}
              onClick={() => switchView(region, filter)}
            />
          )}
          {onNew !== undefined && (
            <Button icon="plus" label="New entry" onClick={onNew}>
              New
            </Button>
          )}
        </div>
      </div>
      <SearchInput
        icon="filter"
        label={PLACEHOLDERS[kind.value]}
        placeholder={PLACEHOLDERS[kind.value]}
        value={text.value}
        isMono
        onInput={(value) => {
          text.value = value;
        }}
      />
    </form>
  );
}

function switchView(region: string, { prefix, view }: ListState): void {
  filterBy(region, { prefix, view: view === 'tree' ? undefined : 'tree' });
}

/** The open entry stays open. */
function filterBy(region: string, next: ListState): void {
  const key = route.peek().parameters.get('key') ?? undefined;
  replaceRoute({ screen: 'entries', region, parameters: definedOf({ ...next, key }) });
}

/** Without empty ones. */
export function definedOf(
  parameters: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') defined[name] = value;
  }
  return defined;
}
