// The keys of a region as a tree of prefixes, with the number of keys in each branch. A branch is
// read when it is opened.

import { useSignal } from '@preact/signals';
import type { GridClient } from '../../../src/client/index.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printCount } from '../../design/print-numbers.ts';
import { EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { showHidden } from '../../json/json-text.ts';
import { type Branch, type Branches, listBranches } from './prefix-tree.ts';
import { readKeys } from './read-rows.ts';

interface KeyTreeProps {
  readonly region: string;
  /** The root of the tree. */
  readonly prefix: string;
  readonly selectedKey: string | undefined;
  readonly onSelect: (key: string) => void;
  /** Shows the keys of a branch as a list. */
  readonly onList: (prefix: string) => void;
  /** Incremented when entries were created or deleted here. */
  readonly changes: number;
}

export function KeyTree(props: KeyTreeProps) {
  return (
    <div class="key-tree">
      <BranchList {...props} />
    </div>
  );
}

function BranchList(props: KeyTreeProps) {
  const { changes, prefix, region } = props;
  const { reload, state } = useResource(
    (client: GridClient, signal): Promise<Branches> =>
      listBranches(readKeys(client, region, signal), prefix),
    [region, prefix, changes],
  );
  const loaded = state.value;
  if (loaded.kind === 'failed') {
    return (
      <ErrorNotice
        error={loaded.error}
        action={<Button onClick={() => void reload()}>Try again</Button>}
      />
    );
  }
  if (loaded.kind === 'loading') {
    return (
      <div class="key-tree-row">
        <Skeleton width="8rem" />
      </div>
    );
  }
  const { branches, isCut } = loaded.value;
  if (branches.length === 0) return <EmptyState icon="tree" title="There are no keys here" />;
  return (
    <ul>
      {branches.map((branch) => (
        <li key={branch.kind === 'key' ? `=${branch.key}` : `<${branch.prefix}`}>
          {branch.kind === 'key' ? (
            <KeyLeaf {...props} entryKey={branch.key} />
          ) : (
            <BranchRow {...props} branch={branch} />
          )}
        </li>
      ))}
      {isCut && (
        <li class="key-tree-row">
          <Button size="small" onClick={() => props.onList(prefix)}>
            There are more: show them as a list
          </Button>
        </li>
      )}
    </ul>
  );
}

interface BranchRowProps extends KeyTreeProps {
  readonly branch: Extract<Branch, { readonly kind: 'group' }>;
}

function BranchRow({ branch, ...props }: BranchRowProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <div class="key-tree-row">
        <button
          type="button"
          class="key-tree-toggle"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <Icon name="chevron" />
          <bdi class="key-name">{showHidden(branch.prefix)}…</bdi>
          <span class="key-tree-count">{printCount(branch.count)}</span>
        </button>
        <Button
          kind="quiet"
          size="small"
          icon="filter"
          label={`List keys that begin with ${showHidden(branch.prefix)}`}
          onClick={() => props.onList(branch.prefix)}
        />
      </div>
      {isOpen.value && (
        <div class="key-tree-inside">
          <BranchList {...props} prefix={branch.prefix} />
        </div>
      )}
    </>
  );
}

function KeyLeaf({
  entryKey,
  onSelect,
  selectedKey,
}: KeyTreeProps & { readonly entryKey: string }) {
  return (
    <button
      type="button"
      class="key-tree-leaf"
      data-key={entryKey}
      aria-current={entryKey === selectedKey ? 'true' : undefined}
      onClick={() => onSelect(entryKey)}
    >
      <bdi class="key-name">{showHidden(entryKey)}</bdi>
    </button>
  );
}
