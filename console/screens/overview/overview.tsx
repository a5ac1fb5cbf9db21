// What the grid holds: its regions, with their sizes.

import { regions } from '../../api/regions.ts';
import { hrefOf } from '../../app/router.ts';
import { printBytes, printCount } from '../../design/print-numbers.ts';
import { EmptyState } from '../../design/small-parts.tsx';

export function Overview() {
  const list = regions.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      {list?.length === 0 && (
        <EmptyState icon="table" title="There are no regions yet">
          A region holds JSON documents by key. Create one to begin.
        </EmptyState>
      )}
      {list !== undefined && list.length > 0 && <RegionTable />}
    </div>
  );
}

function RegionTable() {
  return (
    <div class="table-frame">
      <table class="table">
        <thead>
          <tr>
            <th>Region</th>
            <th class="number">Entries</th>
            <th class="number">Size</th>
          </tr>
        </thead>
        <tbody>
          {regions.value?.map(({ bytes, entryCount, name }) => (
            <tr key={name}>
              <td>
                <a href={hrefOf({ screen: '', region: name })}>{name}</a>
              </td>
              <td class="number">{entryCount === undefined ? '–' : printCount(entryCount)}</td>
              <td class="number">{bytes === undefined ? '–' : printBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
