// Compiles a bound query: every expression becomes a closure, every subquery a preparation, and
// every region is listed with its use. It is compiled for one run: closures cache patterns and
// sets.

import type {
  BoundExpression,
  BoundIterator,
  BoundQuery,
  BoundSelect,
} from '../bind/bound-query.ts';
import { type RegionSource, regionSourceOf } from '../bind/region-source.ts';
import type { Location } from '../errors.ts';
import type { Span } from '../syntax/position.ts';
import { type CompileContext, compileExpression } from './compile-expression.ts';
import type { Evaluate } from './environment.ts';
import {
  lookUp,
  PlannedCall,
  prepare,
  prepareKeys,
  prepareSubquery,
  type QueryRun,
} from './query-run.ts';
import type { Task } from './steps.ts';

export interface CompiledQuery {
  readonly body: CompiledSelect | CompiledExpression;
  readonly regions: ReadonlyMap<string, RegionUse>;
}

export interface RegionUse {
  readonly location: Location;
  /** Whether its entries have to be in memory before the query starts. */
  readonly isLoaded: boolean;
}

/** An expression with what has to be run before each evaluation, in this order. */
export interface CompiledExpression {
  readonly kind: 'expression';
  readonly evaluate: Evaluate;
  readonly preparations: readonly Preparation[];
  readonly location: Location;
}

/** Runs a subquery or a call, looks up a key, or builds the keys of a collection. */
type Preparation = (run: QueryRun) => Task<void>;

export interface CompiledSelect {
  readonly kind: 'select';
  readonly bound: BoundSelect;
  readonly location: Location;
  readonly sources: readonly CompiledSource[];
  readonly where: CompiledExpression | undefined;
  readonly grouping: CompiledGrouping | undefined;
  readonly projections: readonly CompiledExpression[];
  /** Of the projections, for structs. */
  readonly names: readonly string[];
  readonly sortKeys: readonly CompiledExpression[];
}

/** A stream is read from the snapshot while the select runs; all others are collections in memory. */
export type CompiledSource =
  | { readonly kind: 'stream' | 'loaded'; readonly region: RegionSource }
  | CompiledExpression;

export interface CompiledGrouping {
  readonly keys: readonly CompiledExpression[];
  readonly arguments: readonly (CompiledExpression | undefined)[];
  readonly having: CompiledExpression | undefined;
}

export function compileQuery(query: BoundQuery): CompiledQuery {
  const compiler = new QueryCompiler(query.text);
  const body =
    query.body.kind === 'select'
      ? compiler.compileSelect(query.body)
      : compiler.compileExpression(query.body);
  return { body, regions: compiler.regions };
}

/** The select that a query is. */
export function compileSelect(query: BoundQuery): CompiledSelect {
  const { body } = compileQuery(query);
  if (body.kind !== 'select') throw new Error('the query is not a select');
  return body;
}

class QueryCompiler {
  readonly #text: string;
  readonly regions = new Map<string, RegionUse>();
  #preparations = 0;

  constructor(text: string) {
    this.#text = text;
  }

  compileSelect(select: BoundSelect): CompiledSelect {
    const { grouping } = select;
    return {
      kind: 'select',
      bound: select,
      location: this.#locationAt(select.span),
      sources: select.iterators.map((iterator, index) =>
        this.#compileSource(iterator, index === 0 && select.outerDepths.length === 0),
      ),
      where: this.#compileOptional(select.where),
      grouping: grouping && {
        keys: grouping.keys.map((key) => this.compileExpression(key)),
        arguments: grouping.aggregates.map(({ argument }) => this.#compileOptional(argument)),
        having: this.#compileOptional(grouping.having),
      },
      projections: select.projections.map(({ expression }) => this.compileExpression(expression)),
      names: select.projections.map(({ name }) => name),
      sortKeys: select.orderBy.map(({ expression }) => this.compileExpression(expression)),
    };
  }

  compileExpression(expression: BoundExpression): CompiledExpression {
    const preparations: Preparation[] = [];
    const location = this.#locationAt(expression.span);
    const context: CompileContext = {
      text: this.#text,
      addSubquery: (bound) => {
        const select = this.compileSelect(bound);
        const at = this.#preparations++;
        preparations.push((run) => prepareSubquery(select, at, run));
        return at;
      },
      addLookup: (region, key) => {
        const at = this.#preparations++;
        preparations.push((run) => prepare(at, lookUp({ region, key, location }, run), run));
        return at;
      },
      addCall: (args, steps) => {
        const at = this.#preparations++;
        const call = new PlannedCall(args, steps);
        preparations.push((run) => prepare(at, call.compute(run), run));
        return at;
      },
      addKeys: (collection) => preparations.push((run) => prepareKeys(collection, run)),
      addRegion: (name, span, extent) => this.#addRegion(name, span, extent === 'entries'),
    };
    const evaluate = compileExpression(expression, context);
    return { kind: 'expression', evaluate, preparations, location };
  }

  /**
   * A select that runs once reads the region of its first iterator as a stream. All others read
   * their regions repeatedly, so those are loaded into memory.
   */
  #compileSource({ source }: BoundIterator, isReadOnce: boolean): CompiledSource {
    const region = regionSourceOf(source);
    if (region === undefined) return this.compileExpression(source);
    this.#addRegion(region.name, region.span, !isReadOnce);
    return { kind: isReadOnce ? 'stream' : 'loaded', region };
  }

  #compileOptional(expression: BoundExpression | undefined): CompiledExpression | undefined {
    return expression && this.compileExpression(expression);
  }

  #addRegion(name: string, span: Span, isLoaded: boolean): void {
    const known = this.regions.get(name);
    this.regions.set(name, {
      location: known?.location ?? this.#locationAt(span),
      isLoaded: isLoaded || known?.isLoaded === true,
    });
  }

  #locationAt(span: Span): Location {
    return { text: this.#text, span };
  }
}
