// One tab per query.

import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../design/button.tsx';
import { addTab, closeTab, currentTab, selectTab, tabs, titleOf } from './tabs.ts';

export function TabBar() {
  const tab = currentTab();
  const { id: current } = tab;
  const title = titleOf(tab);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, title]);
  return (
    <div class="query-tabs">
      <div ref={list} role="tablist" aria-label="Queries" class="query-tab-list">
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
