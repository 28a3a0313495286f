import { StatusError } from '@quartermaster/kernel';
import { type CharacterSet, wordCharacters } from './character-set.ts';
import { type PatternNode, parsePattern } from './pattern-syntax.ts';

type Step =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: (PatternNode & { readonly kind: 'assertion' })['assertion'] }
  /** Continues at each of these. */
  | { readonly kind: 'fork'; readonly targets: readonly number[] }
  | { readonly kind: 'match' };

const longestSource = 1000;
const mostSteps = 5000;

/**
 * A regular expression of RE2, searched anywhere in the text unless it is anchored. Its time is bounded by the product of the lengths of pattern
 * and text, whatever the pattern: it is written by one person and run on every node of a cluster.
 */
export class Pattern {
  readonly source: string;
  readonly #steps: readonly Step[];

  /** Throws `invalid_argument` for a pattern that is not valid, empty or too large. */
  constructor(source: string) {
    if (source === '')
      throw new StatusError('invalid_argument', 'pattern "" is empty and would match everything: write .* if that is meant');
    if (source.length > longestSource) throw new StatusError('invalid_argument', `pattern is longer than ${longestSource} characters`);
    this.source = source;
    this.#steps = compile(parsePattern(source), source);
  }

  test(text: string): boolean {
    let current = new Set<number>();
    for (let at = 0; at <= text.length; at += 1) {
      if (this.#follow(0, text, at, current)) return true;
      const next = new Set<number>();
      const code = text.charCodeAt(at);
      for (const index of current) {
        const step = this.#steps[index];
        if (at < text.length && step?.kind === 'set' && step.set.has(code) && this.#follow(index + 1, text, at + 1, next)) return true;
      }
      current = next;
    }
    return false;
  }

  /** Adds every step that is reached from `from` without reading a character. True when the match is among them. */
  #follow(from: number, text: string, at: number, reached: Set<number>): boolean {
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached.has(index)) continue;
      reached.add(index);
      const step = this.#steps[index];
      if (step === undefined || step.kind === 'match') return true;
      if (step.kind === 'fork') open.push(...step.targets);
      else if (step.kind === 'assertion' && holds(step.assertion, text, at)) open.push(index + 1);
    }
    return false;
  }
}

function holds(assertion: (PatternNode & { readonly kind: 'assertion' })['assertion'], text: string, at: number): boolean {
  switch (assertion) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'boundary':
      return isWordAt(text, at - 1) !== isWordAt(text, at);
    case 'no-boundary':
      return isWordAt(text, at - 1) === isWordAt(text, at);
  }
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && wordCharacters.has(text.charCodeAt(at));
}

function compile(root: PatternNode, source: string): readonly Step[] {
  const steps: Step[] = [];
  // Repetitions of nothing make no steps, but take time.
  let visits = 0;
  const add = (step: Step): number => steps.push(step) - 1;
  const emit = (node: PatternNode): void => {
    visits += 1;
    if (visits > mostSteps)
      throw new StatusError('invalid_argument', `pattern ${JSON.stringify(source)} is too large: use smaller repetitions`);
    switch (node.kind) {
      case 'set':
      case 'assertion':
        add(node);
        return;
      case 'sequence':
        for (const part of node.parts) emit(part);
        return;
      case 'choice':
        emitChoice(node.options);
        return;
      case 'repeat':
        emitRepeat(node);
    }
  };
  const emitChoice = (options: readonly PatternNode[]): void => {
    const fork = add({ kind: 'fork', targets: [] });
    const starts: number[] = [];
    const ends: number[] = [];
    for (const option of options) {
      starts.push(steps.length);
      emit(option);
      ends.push(add({ kind: 'fork', targets: [] }));
    }
    steps[fork] = { kind: 'fork', targets: starts };
    for (const end of ends) steps[end] = { kind: 'fork', targets: [steps.length] };
  };
  const emitRepeat = ({ part, min, max }: PatternNode & { readonly kind: 'repeat' }): void => {
    for (let i = 0; i < min; i += 1) emit(part);
    if (max === undefined) {
      const loop = add({ kind: 'fork', targets: [] });
      emit(part);
      add({ kind: 'fork', targets: [loop] });
      steps[loop] = { kind: 'fork', targets: [loop + 1, steps.length] };
      return;
    }
    for (let i = min; i < max; i += 1) {
      const optional = add({ kind: 'fork', targets: [] });
      emit(part);
      steps[optional] = { kind: 'fork', targets: [optional + 1, steps.length] };
    }
  };
  emit(root);
  add({ kind: 'match' });
  return steps;
}
