// A change as JSON, and pages of changes in each form of a feed.

import type { FeedChange } from '../../grid/index.ts';
import { printEvent, type StreamForm } from './stream-form.ts';

/** Prints changes; members that consecutive changes share are printed once and reused. */
export class ChangePrinter {
  #region: string | undefined;
  #regionJson = '';
  #atMs = Number.NaN;
  #time = '';

  /** `{"sequence","time","region","op","key","version","value","old"}`; values come last. */
  print(change: FeedChange): string {
    const { atMs, key, operation, region, sequence } = change;
    if (region !== this.#region) {
      this.#region = region;
      this.#regionJson = JSON.stringify(region);
    }
    if (atMs !== this.#atMs) {
      this.#atMs = atMs;
      this.#time = new Date(atMs).toISOString();
    }
    const head = `{"sequence":${sequence},"time":"${this.#time}","region":${this.#regionJson},"op":"${operation}"`;
    const keyed = key === undefined ? head : `${head},"key":${JSON.stringify(key)}`;
    return `${keyed},"version":${sequence}${printMarks(change)}${printValues(change)}}`;
  }
}

function printMarks({ isOldGone, isSuperseded }: FeedChange): string {
  const superseded = isSuperseded === true ? ',"superseded":true' : '';
  return isOldGone === true ? `${superseded},"old-gone":true` : superseded;
}

/** Values as stored. */
function printValues({ old, value }: FeedChange): string {
  const put = value === undefined ? '' : `,"value":${value}`;
  return old === undefined ? put : `${put},"old":${old}`;
}

/** Events of whole commits. The last change of each commit has its id: only there is it safe to resume. */
export function printChanges(form: StreamForm, changes: readonly FeedChange[]): string {
  const printer = new ChangePrinter();
  let text = '';
  for (const [i, change] of changes.entries()) {
    const isLast = changes[i + 1]?.sequence !== change.sequence;
    const id = isLast ? String(change.sequence) : undefined;
    text += printEvent(form, { name: change.operation, json: printer.print(change), id });
  }
  return text;
}
