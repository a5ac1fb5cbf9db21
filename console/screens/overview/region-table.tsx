// Every region with its size and its write rate.

import { type RegionSummary, regions } from '../../api/regions.ts';
import { may } from '../../api/session.ts';
import { hrefOf } from '../../app/router.ts';
import { Icon } from '../../design/icon.tsx';
import { printBytes, printCount, printRate } from '../../design/print-numbers.ts';
import { Skeleton } from '../../design/small-parts.tsx';
import { Sparkline } from '../../design/sparkline.tsx';
import { history } from './history.ts';

export function RegionTable() {
  const isMeasured = may(['CLUSTER', 'READ']);
  return (
    <div class="table-frame">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col" class="number">
              Entries
            </th>
            <th scope="col" class="number">
              Size
            </th>
            {isMeasured && (
              <>
                <th scope="col" class="number">
                  Writes/s
                </th>
                <th scope="col">Last minutes</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {regions.value?.map((region) => (
            <RegionRow key={region.name} region={region} isMeasured={isMeasured} />
          ))}
          {regions.value === undefined && (
            <tr>
              <td colSpan={5}>
                <Skeleton width="12rem" />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

interface RegionRowProps {
  readonly region: RegionSummary;
  readonly isMeasured: boolean;
}

function RegionRow({ isMeasured, region: { bytes, entryCount, name } }: RegionRowProps) {
  const writes = history.value.map(({ regions }) => regions.get(name)?.writesPerSecond ?? 0);
  const now = writes.at(-1);
  return (
    <tr>
      <td>
        <a class="region-name" href={hrefOf({ screen: '', region: name })} title={name}>
          <Icon name="table" />
          <span class="region-title">{name}</span>
        </a>
      </td>
      <td class="number">{entryCount === undefined ? '–' : printCount(entryCount)}</td>
      <td class="number">{bytes === undefined ? '–' : printBytes(bytes)}</td>
      {isMeasured && (
        <>
          <td class="number">{now === undefined ? '–' : printRate(now)}</td>
          <td>
            <Sparkline values={writes} />
          </td>
        </>
      )}
    </tr>
  );
}
