// Regular expressions with bounded time: all alternatives are followed in parallel through the text
// (Pike's simulation of a nondeterministic automaton), which takes at most (text length × program
// length) steps, and even those are limited.

import { MethodFailure } from '../overload.ts';
import {
  type CodePointSet,
  parseRegex,
  type RegexAssertion,
  type RegexNode,
  type RegexRepeat,
} from './parse-regex.ts';

/** A program for the simulation. Of two branches the first is preferred. */
type Instruction =
  | { readonly kind: 'set'; readonly set: CodePointSet }
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; target: number }
  | { readonly kind: 'save'; readonly register: number }
  | { readonly kind: 'assertion'; readonly assertion: RegexAssertion }
  | { readonly kind: 'match' };

/** Offsets by pairs: 2n is where group n starts, 2n + 1 where it ends, group 0 being the match. */
export type RegexMatch = readonly (number | undefined)[];

const MAX_INSTRUCTIONS = 5_000;
/** Some ten milliseconds: matching a text has no yield points. */
const MAX_STEPS = 250_000;

const TOO_MUCH_WORK = new MethodFailure('the pattern takes too long on this text');

/** Compiles a pattern, or returns the reason why it cannot be used. */
export function compileRegex(pattern: string): Regex | MethodFailure {
  const parsed = parseRegex(pattern);
  if (parsed instanceof MethodFailure) return parsed;
  const builder = new ProgramBuilder();
  builder.add({ kind: 'group', number: 0, body: parsed.root });
  const program = builder.finish();
  if (program === undefined) return new MethodFailure('the pattern is too large');
  return new Regex(program, parsed.groupCount);
}

class ProgramBuilder {
  readonly #program: Instruction[] = [];

  /** Undefined when the program grew too large, which repetitions of repetitions do quickly. */
  finish(): readonly Instruction[] | undefined {
    this.#program.push({ kind: 'match' });
    return this.#isFull() ? undefined : this.#program;
  }

  add(node: RegexNode): void {
    if (this.#isFull()) return;
    switch (node.kind) {
      case 'set':
      case 'assertion':
        this.#program.push(node);
        break;
      case 'group':
        this.#program.push({ kind: 'save', register: node.number * 2 });
        this.add(node.body);
        this.#program.push({ kind: 'save', register: node.number * 2 + 1 });
        break;
      case 'sequence':
        for (const part of node.parts) this.add(part);
        break;
      case 'choice':
        this.#addChoice(node.options);
        break;
      case 'repeat':
        this.#addRepeat(node);
        break;
    }
  }

  #isFull(): boolean {
    return this.#program.length > MAX_INSTRUCTIONS;
  }

  /** split L1 L2; L1: a; jump end; L2: b; end: */
  #addChoice(options: readonly RegexNode[]): void {
    const jumps: { kind: 'jump'; target: number }[] = [];
    for (const [index, option] of options.entries()) {
      const isLast = index === options.length - 1;
      const split = isLast ? undefined : this.#addSplit();
      this.add(option);
      if (split === undefined) continue;
      const jump: { kind: 'jump'; target: number } = { kind: 'jump', target: 0 };
      this.#program.push(jump);
      jumps.push(jump);
      split.second = this.#program.length;
    }
    for (const jump of jumps) jump.target = this.#program.length;
  }

  /** The body as often as it must occur, then optional copies, or a loop without bound. */
  #addRepeat({ body, min, max, lazy }: RegexRepeat): void {
    for (let count = 0; count < min; count += 1) this.add(body);
    if (max === Number.POSITIVE_INFINITY) {
      const start = this.#program.length;
      const split = this.#addSplit();
      this.add(body);
      this.#program.push({ kind: 'jump', target: start });
      setExit(split, this.#program.length, lazy);
      return;
    }
    const splits = [];
    for (let count = min; count < max && !this.#isFull(); count += 1) {
      splits.push(this.#addSplit());
      this.add(body);
    }
    for (const split of splits) setExit(split, this.#program.length, lazy);
  }

  /** A split whose first branch is the next instruction. */
  #addSplit(): { first: number; second: number } {
    const split: Instruction = { kind: 'split', first: this.#program.length + 1, second: 0 };
    this.#program.push(split);
    return split;
  }
}

/** A greedy repetition prefers its body, a lazy one the exit. */
function setExit(split: { first: number; second: number }, exit: number, lazy: boolean): void {
  split.second = lazy ? split.first : exit;
  if (lazy) split.first = exit;
}

interface Thread {
  /** The index of its next instruction. */
  readonly at: number;
  readonly registers: RegexMatch;
}

export class Regex {
  readonly #program: readonly Instruction[];
  readonly groupCount: number;

  constructor(program: readonly Instruction[], groupCount: number) {
    this.#program = program;
    this.groupCount = groupCount;
  }

  /** The leftmost match that starts at `from` or later. Searches of one call share a budget. */
  find(text: string, from: number, budget: StepBudget): RegexMatch | undefined | MethodFailure {
    return new Simulation(this.#program, text, 'anywhere', budget).run(from);
  }

  /** Whether the whole text matches. */
  matches(text: string): boolean | MethodFailure {
    const match = new Simulation(this.#program, text, 'whole', createStepBudget()).run(0);
    return match instanceof MethodFailure ? match : match !== undefined;
  }
}

export interface StepBudget {
  steps: number;
}

export function createStepBudget(): StepBudget {
  return { steps: MAX_STEPS };
}

class Simulation {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  readonly #mode: 'anywhere' | 'whole';
  readonly #budget: StepBudget;
  /** For each instruction the text offset at which a thread last reached it. */
  readonly #reachedAt: Int32Array;
  #best: RegexMatch | undefined;

  constructor(
    program: readonly Instruction[],
    text: string,
    mode: 'anywhere' | 'whole',
    budget: StepBudget,
  ) {
    this.#program = program;
    this.#text = text;
    this.#mode = mode;
    this.#budget = budget;
    this.#reachedAt = new Int32Array(program.length).fill(-1);
  }

  run(from: number): RegexMatch | undefined | MethodFailure {
    let threads: Thread[] = [];
    for (let offset = from; offset <= this.#text.length; ) {
      const mayStart = this.#best === undefined && (this.#mode === 'anywhere' || offset === from);
      if (mayStart) this.#addThread({ at: 0, registers: [] }, offset, threads);
      else if (threads.length === 0) break;
      if (this.#budget.steps < 0) return TOO_MUCH_WORK;
      const codePoint = this.#text.codePointAt(offset);
      const next = offset + (codePoint !== undefined && codePoint > 0xffff ? 2 : 1);
      threads = this.#advance(threads, codePoint, offset, next);
      offset = next;
    }
    return this.#best;
  }

  /** Reads one code point with every thread; the first that matches ends all after it. */
  #advance(
    threads: readonly Thread[],
    codePoint: number | undefined,
    offset: number,
    next: number,
  ): Thread[] {
    const advanced: Thread[] = [];
    for (const { at, registers } of threads) {
      const instruction = this.#program[at];
      // A set is charged a step more for each eight of its ranges.
      this.#budget.steps -=
        instruction?.kind === 'set' ? 1 + (instruction.set.ranges.length >> 3) : 1;
      if (instruction?.kind === 'set' && isIn(instruction.set, codePoint)) {
        this.#addThread({ at: at + 1, registers }, next, advanced);
      }
      const isAccepted = this.#mode === 'anywhere' || offset === this.#text.length;
      if (instruction?.kind === 'match' && isAccepted) {
        this.#best = registers;
        break;
      }
    }
    return advanced;
  }

  /** Adds every thread that can be reached without reading, most preferred first. */
  #addThread(start: Thread, offset: number, threads: Thread[]): void {
    const pending: Thread[] = [start];
    for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
      this.#budget.steps -= 1;
      const { at, registers } = thread;
      if (this.#reachedAt[at] === offset) continue;
      this.#reachedAt[at] = offset;
      const instruction = this.#program[at];
      switch (instruction?.kind) {
        case 'jump':
          pending.push({ at: instruction.target, registers });
          break;
        case 'split':
          pending.push({ at: instruction.second, registers });
          pending.push({ at: instruction.first, registers });
          break;
        case 'save':
          // The copy is charged a step for each eight registers.
          this.#budget.steps -= registers.length >> 3;
          pending.push({ at: at + 1, registers: withRegister(registers, instruction, offset) });
          break;
        case 'assertion':
          if (this.#holds(instruction.assertion, offset)) pending.push({ at: at + 1, registers });
          break;
        default:
          threads.push(thread);
      }
    }
  }

  #holds(assertion: RegexAssertion, offset: number): boolean {
    switch (assertion) {
      case 'start':
        return offset === 0;
      case 'end':
        return offset === this.#text.length;
      case 'word-boundary':
        return this.#isWordBoundary(offset);
      case 'no-word-boundary':
        return !this.#isWordBoundary(offset);
    }
  }

  #isWordBoundary(offset: number): boolean {
    const before = /\w/.test(this.#text.charAt(offset - 1));
    return before !== /\w/.test(this.#text.charAt(offset));
  }
}

function withRegister(
  registers: RegexMatch,
  { register }: { readonly register: number },
  offset: number,
): RegexMatch {
  const copy = registers.slice();
  copy[register] = offset;
  return copy;
}

function isIn(set: CodePointSet, codePoint: number | undefined): boolean {
  if (codePoint === undefined) return false;
  return set.ranges.some(([low, high]) => codePoint >= low && codePoint <= high) !== set.negated;
}
