// Bound queries of the golden scripts, and how large a query may grow by binding.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OqlError } from '../errors.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { dumpError } from '../testing/dump-tree.ts';
import { testGoldenScripts } from '../testing/golden.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { bindQuery } from './bind-query.ts';
import { forEachChild } from './bound-children.ts';
import type { BoundExpression, BoundQuery } from './bound-query.ts';
import { printBound } from './print-bound.ts';

testGoldenScripts('bind', { '': runScript });

describe('a query that is large', () => {
  const sum = `${'a + '.repeat(300)}a`;

  it('may nest subqueries as deeply as the parser allows', () => {
    const nested = `${'SELECT * FROM ('.repeat(98)}SELECT * FROM /orders${')'.repeat(98)}`;
    assert.equal(codeOf(nested), undefined);
  });

  it('may not copy a large expression without limit', () => {
    const between = `${'('.repeat(60)}x${' BETWEEN 1 AND 2)'.repeat(60)}`;
    assert.equal(codeOf(`SELECT * FROM /orders WHERE ${between}`), 'oql/not-supported');
    const order = `SELECT ${sum} AS c FROM /orders ORDER BY ${'c, '.repeat(1000)}c`;
    assert.equal(codeOf(order), 'oql/not-supported');
    const subject = `SELECT CASE (${sum})${' WHEN 1 THEN 2'.repeat(1000)} END FROM /orders`;
    assert.equal(codeOf(subject), 'oql/not-supported');
  });

  it('may copy as much as realistic queries need', () => {
    const order = `SELECT ${sum} AS c FROM /orders ORDER BY ${'c, '.repeat(20)}c`;
    assert.equal(codeOf(order), undefined);
    const subject = `SELECT CASE a${' WHEN 1 THEN 2'.repeat(1000)} END FROM /orders`;
    assert.equal(codeOf(subject), undefined);
  });
});

function codeOf(text: string): string | undefined {
  try {
    bindQuery(parseQuery(text), sampleCatalog);
    return undefined;
  } catch (error) {
    if (error instanceof OqlError) return error.code;
    throw error;
  }
}

function runScript(text: string): string {
  try {
    return dumpQuery(bindQuery(parseQuery(text), sampleCatalog));
  } catch (error) {
    return dumpError(error);
  }
}

function dumpQuery(query: BoundQuery): string {
  const { numbered, named } = query.parameters;
  const slots = numbered + named.length;
  return [
    printBound(query.body),
    ...(slots === 0 ? [] : [`slots: ${numbered} numbered, named [${named.join(', ')}]`]),
    ...dumpSubqueries(query.body, true),
    `regions: ${query.regions.join(', ')}`,
  ].join('\n');
}

/** The enclosing selects and regions to which each subquery refers. */
function dumpSubqueries(node: BoundExpression, isWhole: boolean): readonly string[] {
  const lines: string[] = [];
  if (node.kind === 'select' && !isWhole) {
    const outer = node.outerDepths.length === 0 ? 'nothing' : node.outerDepths.join(', ');
    lines.push(`subquery of depth ${node.depth} refers to ${outer}, reads ${node.regions.join()}`);
  }
  forEachChild(node, (child) => lines.push(...dumpSubqueries(child, false)));
  return lines;
}

describe('queries that WITH names', () => {
  it('are refused where their copies would grow without bound', () => {
    const large = Array.from({ length: 2000 }, (_, i) => `o.m${i}`)
      .join(' + ')
      .slice(0, 12_000);
    const columns = large.replaceAll(' + ', ', ');
    const definition = `WITH a AS (SELECT ${columns.slice(0, columns.lastIndexOf(','))} FROM /orders o)`;
    const uses = Array.from({ length: 150 }, (_, i) => `a x${i}`).join(', ');
    assert.throws(
      () => bindQuery(parseQuery(`${definition} SELECT * FROM ${uses}`), sampleCatalog),
      /so large an expression/,
    );
    const conditions = (count: number) =>
      Array.from({ length: count }, (_, i) => `o.m${i} = 1`).join(' AND ');
    const repeated = (count: number) =>
      `WITH a AS (SELECT * FROM /orders o WHERE ${conditions(count)}) SELECT * FROM ${uses}`;
    // Each condition has three expressions, and counts twice because it is bound at each use.
    bindQuery(parseQuery(repeated(20)), sampleCatalog);
    assert.throws(() => bindQuery(parseQuery(repeated(25)), sampleCatalog), /so large/);
    const doubled = Array.from(
      { length: 12 },
      (_, i) => `b${i + 1} AS (SELECT * FROM b${i} x, b${i} y)`,
    );
    const text = `WITH b0 AS (SELECT * FROM /orders), ${doubled.join(', ')} SELECT * FROM b12`;
    assert.throws(() => bindQuery(parseQuery(text), sampleCatalog), /named queries|so large/);
  });
});
