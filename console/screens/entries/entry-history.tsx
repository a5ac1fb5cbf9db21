// The kept versions of an entry: the changes of each, its differences to the current entry, and a
// button to restore it.

import { useSignal } from '@preact/signals';
import {
  type Entry,
  type EntryVersion,
  type GridClient,
  texts,
} from '../../../src/client/index.ts';
import { useResource } from '../../api/resource.ts';
import { call, may } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printCount, printTime } from '../../design/print-numbers.ts';
import { Badge, EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { showToast } from '../../design/toasts.tsx';
import { diffJson } from '../../json/diff-json.ts';
import { indentJson, showHidden } from '../../json/json-text.ts';
import { useJsonTools } from './use-json-tools.ts';

interface EntryHistoryProps {
  readonly region: string;
  readonly entryKey: string;
  /** The current entry; undefined if it was removed. */
  readonly entry: Entry<string> | undefined;
  /** Called after a version was restored. */
  readonly onRestored: () => void;
  readonly onClose: () => void;
}

type Version = EntryVersion<string>;

const VERSIONS_AT_A_TIME = 50;

export function EntryHistory(props: EntryHistoryProps) {
  const { entry, entryKey, onClose, region } = props;
  const most = useSignal(VERSIONS_AT_A_TIME);
  const chosen = useSignal<number | undefined>(undefined);
  const { state } = useResource(
    (client, signal) => readVersions(client, props, most.value, signal),
    [region, entryKey, most.value, entry?.version],
  );
  const { error, value: versions } = state.value as {
    readonly error?: unknown;
    readonly value?: readonly Version[];
  };
  const current = versions?.find(({ version }) => version === chosen.value) ?? versions?.[1];
  return (
    <section class="entry-history" aria-label="History">
      <header class="entry-history-head">
        <h3>History</h3>
        <Button size="small" onClick={onClose}>
          Back to the value
        </Button>
      </header>
      {error !== undefined && (
        <div class="entries-note">
          <ErrorNotice error={error} />
        </div>
      )}
      {versions === undefined && error === undefined && <Skeleton width="60%" />}
      {versions?.length === 0 && (
        <EmptyState icon="history" title="No version of this key is kept">
          It was never written, or its versions are too old to be kept.
        </EmptyState>
      )}
      {versions !== undefined && versions.length > 0 && (
        <div class="entry-history-parts">
          <ol class="version-list" aria-label="Versions, latest first">
            {versions.slice(0, most.value).map((version, at) => (
              <li key={version.version}>
                <VersionButton
                  version={version}
                  before={versions[at + 1]}
                  isChosen={version === current}
                  onChoose={() => (chosen.value = version.version)}
                />
              </li>
            ))}
            {versions.length > most.value && (
              <li>
                <Button kind="quiet" onClick={() => (most.value += VERSIONS_AT_A_TIME)}>
                  Show more
                </Button>
              </li>
            )}
          </ol>
          {current === undefined ? (
            <p class="result-note">This is the only version that is kept.</p>
          ) : (
            <ChosenVersion {...props} key={current.version} version={current} />
          )}
        </div>
      )}
    </section>
  );
}

/** Reads one version more than is shown: for its difference, and to know whether there are more. */
async function readVersions(
  client: GridClient,
  { entryKey, region }: EntryHistoryProps,
  most: number,
  signal: AbortSignal,
): Promise<readonly Version[]> {
  const versions: Version[] = [];
  for await (const version of client.region(region, texts).history(entryKey, { signal })) {
    versions.push(version);
    if (versions.length > most) break;
  }
  return versions;
}

interface VersionButtonProps {
  readonly version: Version;
  readonly before: Version | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function VersionButton({ before, isChosen, onChoose, version }: VersionButtonProps) {
  const { operation, time } = version;
  return (
    <button type="button" class="version" aria-pressed={isChosen} onClick={onChoose}>
      <span class="version-head">
        <strong>{printCount(version.version)}</strong>
        <Badge kind={operation === 'put' ? 'plain' : 'warning'}>{operation}</Badge>
      </span>
      <span class="quiet">{time === undefined ? 'before what is kept' : printTime(time)}</span>
      <span class="version-change">{printChange(version, before)}</span>
    </button>
  );
}

const MAX_PATHS = 3;

/** Which members changed. */
function printChange({ value }: Version, before: Version | undefined): string {
  if (value === undefined) return '';
  if (before?.value === undefined) return before === undefined ? '' : 'created';
  const paths = diffJson(before.value, value).map(({ path }) => path || 'the whole value');
  if (paths.length === 0) return 'nothing changed';
  const left = paths.length - MAX_PATHS;
  const names = showHidden(paths.slice(0, MAX_PATHS).join(', '));
  return left > 0 ? `${names} and ${printCount(left)} more` : names;
}

interface ChosenVersionProps extends EntryHistoryProps {
  readonly version: Version;
}

function ChosenVersion(props: ChosenVersionProps) {
  const { entry, entryKey, onRestored, region, version } = props;
  const { failure: missing, tools } = useJsonTools();
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const isSame = version.version === entry?.version || version.value === entry?.value;
  const restore = async (): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      const condition = { ifVersion: entry?.version };
      await call((client) =>
        client.region(region, texts).restore(entryKey, version.version, condition),
      );
      showToast(`Version ${printCount(version.version)} of ${showHidden(entryKey)} was restored.`);
      onRestored();
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  const problem = failure.value ?? missing;
  const Diff = tools?.JsonDiff;
  return (
    <div class="version-chosen">
      {problem !== undefined && (
        <div class="entries-note">
          <ErrorNotice error={problem} />
        </div>
      )}
      {version.value === undefined ? (
        <p class="result-note">This version removed the entry.</p>
      ) : (
        <div class="editor-frame">
          {Diff !== undefined && (
            <Diff
              label={`What version ${version.version} would change`}
              before={entry === undefined ? '' : indentJson(entry.value)}
              after={indentJson(version.value)}
            />
          )}
        </div>
      )}
      {version.value !== undefined && may(['DATA', 'WRITE', region, entryKey]) && (
        <footer class="editor-foot">
          <span class="quiet">
            {isSame ? 'This is the current value.' : 'Shows what restoring it would change.'}
          </span>
          <Button kind="primary" disabled={isSame || isBusy.value} onClick={() => void restore()}>
            {`Restore version ${printCount(version.version)}`}
          </Button>
        </footer>
      )}
    </div>
  );
}
