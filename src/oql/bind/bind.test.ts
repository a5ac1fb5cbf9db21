// Bound queries of the golden scripts.

import { parseQuery } from '../syntax/parse-query.ts';
import { dumpError } from '../testing/dump-tree.ts';
import { testGoldenScripts } from '../testing/golden.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { bindQuery } from './bind-query.ts';
import { forEachChild } from './bound-children.ts';
import type { BoundExpression, BoundQuery } from './bound-query.ts';
import { printBound } from './print-bound.ts';

testGoldenScripts('bind', { '': runScript });

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
    ...(query.trace ? ['trace'] : []),
    ...(slots === 0 ? [] : [`slots: ${numbered} numbered, named [${named.join(', ')}]`]),
    ...dumpSubqueries(query.body, true),
    `regions: ${query.regions.join(', ')}`,
  ].join('\n');
}

/** Which enclosing selects and regions each subquery refers to. */
function dumpSubqueries(node: BoundExpression, isWhole: boolean): readonly string[] {
  const lines: string[] = [];
  if (node.kind === 'select' && !isWhole) {
    const outer = node.outerDepths.length === 0 ? 'nothing' : node.outerDepths.join(', ');
    lines.push(`subquery of depth ${node.depth} refers to ${outer}, reads ${node.regions.join()}`);
  }
  forEachChild(node, (child) => lines.push(...dumpSubqueries(child, false)));
  return lines;
}
