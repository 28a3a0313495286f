import { type CharacterSet, type PatternNode, PatternProgram } from '@quartermaster/kernel';
import { FilterProblem } from './filter-problem.ts';
import { parsePattern } from './pattern-syntax.ts';

const maxSteps = 500;

/** A regular expression, searched anywhere in the text unless it is anchored. */
export class Pattern {
  /** The same as an advanced regular expression of PostgreSQL: it holds nothing but ASCII, and no character stands for itself but letters and digits. */
  readonly postgres: string;
  readonly #program: PatternProgram;

  /** `at` is the place of the pattern in the expression. Throws a FilterProblem. */
  constructor(source: string, at: number) {
    const root = parsePattern(source, at);
    const program = PatternProgram.compile(root, maxSteps);
    if (program === undefined)
      throw new FilterProblem(at, 'the pattern is too large when its repetitions are written out: use smaller ones');
    this.#program = program;
    this.postgres = render(root);
  }

  test(text: string): boolean {
    return this.#program.test(text);
  }
}

function render(node: PatternNode): string {
  switch (node.kind) {
    case 'assertion':
      return node.assertion === 'start' ? '^' : '$';
    case 'set':
      return brackets(node.set);
    case 'sequence':
      return node.parts.map(render).join('');
    case 'choice':
      return `(?:${node.options.map(render).join('|')})`;
    case 'repeat':
      return `(?:${render(node.part)}){${node.least},${node.most ?? ''}}`;
  }
}

function brackets({ ranges, isInverted }: CharacterSet): string {
  const texts = ranges.map(({ from, to }) => (from === to ? escapeOf(from) : `${escapeOf(from)}-${escapeOf(to)}`));
  return `[${isInverted ? '^' : ''}${texts.join('')}]`;
}

/** Escapes of one fixed length, which also mean themselves in brackets. */
function escapeOf(code: number): string {
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
