// One tab per query.

import { Button } from '../../design/button.tsx';
import { addTab, closeTab, currentTab, selectTab, tabs, titleOf } from './tabs.ts';

export function TabBar() {
  const { id: current } = currentTab();
  return (
    <div class="query-tabs">
      <div role="tablist" aria-label="Queries" class="query-tab-list">
        {tabs.value.list.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            class="query-tab"
            aria-selected={tab.id === current}
            title={tab.text}
            onClick={() => selectTab(tab.id)}
            onKeyDown={(event) => {
              if (event.key === 'Delete') closeTab(tab.id);
            }}
          >
            {titleOf(tab)}
          </button>
        ))}
      </div>
      {tabs.value.list.length > 1 && (
        <Button
          kind="quiet"
          size="small"
          icon="close"
          label="Close this query"
          onClick={() => closeTab(current)}
        />
      )}
      <Button kind="quiet" size="small" icon="plus" label="New query" onClick={addTab} />
    </div>
  );
}
