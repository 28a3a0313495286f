import { FilterProblem } from './filter-problem.ts';
import { type PatternNode, parsePattern, type Range } from './pattern-syntax.ts';

type Step =
  | { readonly kind: 'set'; readonly ranges: readonly Range[]; readonly isInverted: boolean }
  | { readonly kind: 'start' | 'end' | 'match' }
  /** Continues at each of these. */
  | { readonly kind: 'fork'; readonly targets: readonly number[] };

const mostSteps = 500;

/** A regular expression, searched anywhere in the text unless it is anchored. Time is bounded by the product of the lengths of pattern and text. */
export class Pattern {
  /** The same as an advanced regular expression of PostgreSQL: it holds nothing but ASCII, and no character stands for itself but letters and digits. */
  readonly postgres: string;
  readonly #steps: readonly Step[];

  /** `at` is the place of the pattern in the expression. Throws a FilterProblem. */
  constructor(source: string, at: number) {
    const root = parsePattern(source, at);
    const steps = compile(root);
    if (steps === undefined) throw new FilterProblem(at, 'the pattern is too large when its repetitions are written out: use smaller ones');
    this.#steps = steps;
    this.postgres = render(root);
  }

  test(text: string): boolean {
    const reached = new Reached(this.#steps.length);
    let current: readonly number[] = [];
    let isStart = true;
    for (const character of text) {
      const now = this.#closure([0, ...current], isStart, false, reached);
      if (now === undefined) return true;
      isStart = false;
      const code = character.codePointAt(0) ?? 0;
      const next: number[] = [];
      for (const index of now) {
        const step = this.#steps[index];
        if (step?.kind === 'set' && contains(step, code)) next.push(index + 1);
      }
      current = next;
    }
    return this.#closure([0, ...current], isStart, true, reached) === undefined;
  }

  /** Every step that is reached without reading a character; undefined when the match is among them. */
  #closure(from: readonly number[], isStart: boolean, isEnd: boolean, reached: Reached): readonly number[] | undefined {
    reached.clear();
    const all: number[] = [];
    const open = [...from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (!reached.add(index)) continue;
      all.push(index);
      const step = this.#steps[index];
      if (step === undefined || step.kind === 'match') return undefined;
      if (step.kind === 'fork') open.push(...step.targets);
      else if ((step.kind === 'start' && isStart) || (step.kind === 'end' && isEnd)) open.push(index + 1);
    }
    return all;
  }
}

/** A set of small numbers that is emptied in no time. */
class Reached {
  readonly #rounds: Int32Array;
  #round = 0;

  constructor(size: number) {
    this.#rounds = new Int32Array(size);
  }

  clear(): void {
    this.#round += 1;
  }

  /** False when it was there already. */
  add(index: number): boolean {
    if (this.#rounds[index] === this.#round) return false;
    this.#rounds[index] = this.#round;
    return true;
  }
}

function contains(set: { readonly ranges: readonly Range[]; readonly isInverted: boolean }, code: number): boolean {
  return set.ranges.some(([from, to]) => code >= from && code <= to) !== set.isInverted;
}

/** Undefined when there would be too many steps. */
function compile(root: PatternNode): readonly Step[] | undefined {
  const steps: Step[] = [];
  const emit = (node: PatternNode): void => {
    if (steps.length > mostSteps) return;
    switch (node.kind) {
      case 'set':
      case 'start':
      case 'end':
        steps.push(node);
        return;
      case 'sequence':
        for (const part of node.parts) emit(part);
        return;
      case 'choice':
        emitChoice(node.options);
        return;
      case 'repeat':
        for (let i = 0; i < node.least; i += 1) emit(node.part);
        if (node.most === undefined) emitOptional(node.part, true);
        else for (let i = node.least; i < node.most; i += 1) emitOptional(node.part, false);
    }
  };
  const emitChoice = (options: readonly PatternNode[]): void => {
    const fork = steps.push({ kind: 'fork', targets: [] }) - 1;
    const starts: number[] = [];
    const ends: number[] = [];
    for (const option of options) {
      starts.push(steps.length);
      emit(option);
      ends.push(steps.push({ kind: 'fork', targets: [] }) - 1);
    }
    steps[fork] = { kind: 'fork', targets: starts };
    for (const end of ends) steps[end] = { kind: 'fork', targets: [steps.length] };
  };
  const emitOptional = (part: PatternNode, isRepeated: boolean): void => {
    const fork = steps.push({ kind: 'fork', targets: [] }) - 1;
    emit(part);
    if (isRepeated) steps.push({ kind: 'fork', targets: [fork] });
    steps[fork] = { kind: 'fork', targets: [fork + 1, steps.length] };
  };
  emit(root);
  steps.push({ kind: 'match' });
  return steps.length > mostSteps ? undefined : steps;
}

function render(node: PatternNode): string {
  switch (node.kind) {
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'set': {
      const ranges = node.ranges.map(([from, to]) => (from === to ? escapeOf(from) : `${escapeOf(from)}-${escapeOf(to)}`));
      return `[${node.isInverted ? '^' : ''}${ranges.join('')}]`;
    }
    case 'sequence':
      return node.parts.map(render).join('');
    case 'choice':
      return `(?:${node.options.map(render).join('|')})`;
    case 'repeat':
      return `(?:${render(node.part)}){${node.least},${node.most ?? ''}}`;
  }
}

/** Escapes of one fixed length, which also mean themselves in brackets. */
function escapeOf(code: number): string {
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
