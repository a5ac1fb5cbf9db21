// The schema of a region, from a sample. A click on a value shows the entries that have it.

import './schema.css';
import type { FieldSchema } from '../../../src/client/index.ts';
import { useResource } from '../../api/resource.ts';
import type { RegionScreenProps } from '../../app/router.ts';
import { hrefOf } from '../../app/router.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printCount } from '../../design/print-numbers.ts';
import { Badge, EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { showName } from '../../json/json-text.ts';
import { conditionFor, printValue } from './conditions.ts';

export function Schema({ region }: RegionScreenProps) {
  const { reload, state } = useResource(
    (client, signal) => client.readSchema(region, { signal }),
    [region],
  );
  const { kind, value: schema } = state.value;
  if (kind === 'failed') {
    return (
      <div class="page">
        <ErrorNotice error={state.value.error} />
      </div>
    );
  }
  if (schema === undefined) {
    return (
      <div class="page">
        <Skeleton width="60%" />
      </div>
    );
  }
  return (
    <div class="page">
      <div class="schema-head">
        <p>
          From <strong>{printCount(schema.sampled)}</strong>{' '}
          {schema.sampled === 1 ? 'document.' : 'documents, spread over all keys.'}
          {schema['is-cut'] && ' Only the first fields are listed.'}
        </p>
        <Button kind="quiet" icon="refresh" onClick={() => void reload()}>
          Sample again
        </Button>
      </div>
      {schema.fields.length === 0 ? (
        <NoFields sampled={schema.sampled} />
      ) : (
        <div class="table-frame">
          <table class="table schema-table">
            <thead>
              <tr>
                <th>Field</th>
                <th>Present</th>
                <th>Kinds</th>
                <th class="number">Distinct</th>
                <th>Least to greatest</th>
                <th>Most frequent</th>
              </tr>
            </thead>
            <tbody>
              {schema.fields.map((field) => (
                <FieldRow key={field.path} field={field} region={region} sampled={schema.sampled} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function NoFields({ sampled }: { readonly sampled: number }) {
  return sampled === 0 ? (
    <EmptyState icon="schema" title="This region is empty">
      The fields of its documents are listed here as soon as it has some.
    </EmptyState>
  ) : (
    <EmptyState icon="schema" title="There are no fields">
      The documents of this region have no members.
    </EmptyState>
  );
}

interface FieldRowProps {
  readonly field: FieldSchema;
  readonly region: string;
  readonly sampled: number;
}

function FieldRow({ field, region, sampled }: FieldRowProps) {
  const { distinct, frequent, greatest, histogram, kinds, least, path, present } = field;
  // Elements of lists are counted, not documents.
  const share = path.includes('[]') ? undefined : present / sampled;
  return (
    <tr>
      <th scope="row" class="schema-path mono">
        <bdi>{showName(path)}</bdi>
      </th>
      <td>{share === undefined ? `${printCount(present)} times` : <Share share={share} />}</td>
      <td>
        <span class="schema-kinds">
          {Object.entries(kinds)
            .sort(([, a], [, b]) => b - a)
            .map(([kind, count]) => (
              <Badge key={kind} kind={kind === 'null' ? 'warning' : 'plain'}>
                {kind}
                {count < present && ` ${Math.round((count / present) * 100)} %`}
              </Badge>
            ))}
        </span>
      </td>
      <td class="number">
        {distinct === 0 ? '–' : printCount(distinct)}
        {field['distinct-is-more'] && '+'}
      </td>
      <td class="schema-ends">
        {least !== undefined && greatest !== undefined && (
          <span class="mono">
            <bdi class="schema-end">{printValue(least)}</bdi>
            {greatest !== least && (
              <>
                {' – '}
                <bdi class="schema-end">{printValue(greatest)}</bdi>
              </>
            )}
          </span>
        )}
        {histogram !== undefined && <Histogram counts={histogram} path={path} />}
      </td>
      <td>
        <span class="schema-values">
          {frequent.slice(0, 5).map(({ count, value }) => (
            <ValueLink key={value} region={region} path={path} value={value} count={count} />
          ))}
        </span>
      </td>
    </tr>
  );
}

function Share({ share }: { readonly share: number }) {
  const percent = Math.round(share * 100);
  return (
    <span class="schema-share">
      <span class="schema-bar" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {percent === 100 && share < 1 ? '> 99' : percent} %
    </span>
  );
}

interface ValueLinkProps {
  readonly region: string;
  readonly path: string;
  /** JSON text. */
  readonly value: string;
  readonly count: number;
}

/** Links to the entries with that value, if a condition can express it. */
function ValueLink({ count, path, region, value }: ValueLinkProps) {
  const where = conditionFor(path, value);
  const text = printValue(value);
  const title = `${printCount(count)} of the sample`;
  if (where === undefined) {
    return (
      <span class="schema-value" title={title}>
        {text}
      </span>
    );
  }
  return (
    <a
      class="schema-value"
      title={title}
      href={hrefOf({ screen: 'entries', region, parameters: { where } })}
    >
      {text}
    </a>
  );
}

const BAR_WIDTH = 8;
const HEIGHT = 22;

function Histogram({
  counts,
  path,
}: {
  readonly counts: readonly number[];
  readonly path: string;
}) {
  const most = Math.max(1, ...counts);
  return (
    <svg
      class="schema-histogram"
      viewBox={`0 0 ${counts.length * BAR_WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`How ${path} is spread from least to greatest: ${counts.join(', ')}`}
    >
      {counts.map((count, index) => {
        const height = Math.max(1, (count / most) * HEIGHT);
        return (
          <rect
            key={index}
            x={index * BAR_WIDTH}
            y={HEIGHT - height}
            width={BAR_WIDTH - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
