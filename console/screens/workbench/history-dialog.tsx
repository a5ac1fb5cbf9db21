// The queries that were run before in this browser.

import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { printTime } from '../../design/print-numbers.ts';
import { EmptyState } from '../../design/small-parts.tsx';
import { forgetAll, queryHistory } from './query-history.ts';
import { openQuery } from './tabs.ts';

export function HistoryDialog({ onClose }: { readonly onClose: () => void }) {
  const list = queryHistory.value;
  return (
    <Dialog
      title="Queries you ran"
      size="wide"
      onClose={onClose}
      actions={list.length > 0 && <Button onClick={forgetAll}>Forget all</Button>}
    >
      {list.length === 0 ? (
        <EmptyState icon="history" title="None yet">
          Queries that you run in this browser are listed here.
        </EmptyState>
      ) : (
        <ul class="query-history">
          {list.map(({ at, text }) => (
            <li key={text}>
              <button
                type="button"
                class="query-history-item"
                onClick={() => {
                  openQuery(text);
                  onClose();
                }}
              >
                <span class="mono">{text}</span>
                <span class="query-history-time">{printTime(new Date(at))}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
