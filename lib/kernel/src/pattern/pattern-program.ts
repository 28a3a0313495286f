import { type CharacterSet, word } from './character-set.ts';
import type { PatternAssertion, PatternNode } from './pattern-node.ts';

type Step =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: PatternAssertion }
  /** Continues at each of these. */
  | { readonly kind: 'fork'; readonly targets: readonly number[] }
  | { readonly kind: 'match' };

/** Beyond both ends of a text. */
const nothing = -1;

/**
 * A regular expression that is searched anywhere in a text unless it is anchored. All ways through it are followed at once, so that its time is bounded by the product of
 * the lengths of pattern and text, whatever both are.
 */
export class PatternProgram {
  readonly #steps: readonly Step[];

  private constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** Undefined when the pattern, with its repetitions written out, has more steps. */
  static compile(root: PatternNode, maxSteps: number): PatternProgram | undefined {
    const steps = stepsOf(root, maxSteps);
    return steps === undefined ? undefined : new PatternProgram(steps);
  }

  test(text: string): boolean {
    const reached = new Reached(this.#steps.length);
    let current: readonly number[] = [];
    let before = nothing;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const now = this.#closure([0, ...current], before, code, reached);
      if (now === undefined) return true;
      const next: number[] = [];
      for (const index of now) {
        const step = this.#steps[index];
        if (step?.kind === 'set' && step.set.has(code)) next.push(index + 1);
      }
      current = next;
      before = code;
    }
    return this.#closure([0, ...current], before, nothing, reached) === undefined;
  }

  /** Every step that is reached without reading a character; undefined when the match is among them. */
  #closure(from: readonly number[], before: number, after: number, reached: Reached): readonly number[] | undefined {
    reached.clear();
    const all: number[] = [];
    const open = [...from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (!reached.add(index)) continue;
      all.push(index);
      const step = this.#steps[index];
      if (step === undefined || step.kind === 'match') return undefined;
      if (step.kind === 'fork') open.push(...step.targets);
      else if (step.kind === 'assertion' && holds(step.assertion, before, after)) open.push(index + 1);
    }
    return all;
  }
}

function holds(assertion: PatternAssertion, before: number, after: number): boolean {
  switch (assertion) {
    case 'start':
      return before === nothing;
    case 'end':
      return after === nothing;
    case 'boundary':
      return word.has(before) !== word.has(after);
    case 'no-boundary':
      return word.has(before) === word.has(after);
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

/** Undefined when there would be too many. */
function stepsOf(root: PatternNode, maxSteps: number): readonly Step[] | undefined {
  const steps: Step[] = [];
  // Repetitions of nothing make no steps, but take time.
  let visits = 0;
  const isTooLarge = (): boolean => steps.length > maxSteps || visits > 10 * maxSteps;
  const fork = (): number => steps.push({ kind: 'fork', targets: [] }) - 1;
  const emit = (node: PatternNode): void => {
    visits += 1;
    if (isTooLarge()) return;
    switch (node.kind) {
      case 'set':
      case 'assertion':
        steps.push(node);
        return;
      case 'sequence':
        for (const part of node.parts) emit(part);
        return;
      case 'choice':
        emitChoice(node.options);
        return;
      case 'repeat':
        for (let i = 0; i < node.least && !isTooLarge(); i += 1) emit(node.part);
        if (node.most === undefined) emitOptional(node.part, { isRepeated: true });
        else for (let i = node.least; i < node.most && !isTooLarge(); i += 1) emitOptional(node.part, { isRepeated: false });
    }
  };
  const emitChoice = (options: readonly PatternNode[]): void => {
    const start = fork();
    const starts: number[] = [];
    const ends: number[] = [];
    for (const option of options) {
      starts.push(steps.length);
      emit(option);
      ends.push(fork());
    }
    steps[start] = { kind: 'fork', targets: starts };
    for (const end of ends) steps[end] = { kind: 'fork', targets: [steps.length] };
  };
  const emitOptional = (part: PatternNode, { isRepeated }: { readonly isRepeated: boolean }): void => {
    const start = fork();
    emit(part);
    if (isRepeated) steps.push({ kind: 'fork', targets: [start] });
    steps[start] = { kind: 'fork', targets: [start + 1, steps.length] };
  };
  emit(root);
  steps.push({ kind: 'match' });
  return isTooLarge() ? undefined : steps;
}
