import { type CharacterSet, compilePattern, type PatternNode, type PatternProgram } from '@quartermaster/kernel';
import { FilterProblem, quoted } from './filter-problem.ts';

const rules = { isPortable: true, maxLength: 500, maxRepetitions: 100, maxNesting: 20, maxSteps: 500 };

/** A regular expression, searched anywhere in the text unless it is anchored. Portable, since PostgreSQL must find the same. */
export class Pattern {
  /** The same as an advanced regular expression of PostgreSQL: it holds nothing but ASCII, and no character stands for itself but letters and digits. */
  readonly postgres: string;
  readonly #program: PatternProgram;

  /** `at` is the place of the pattern in the expression. Throws a FilterProblem. */
  constructor(source: string, at: number) {
    const refusal = (problem: string): Error => new FilterProblem(at, `the pattern ${quoted(source)} ${problem}`);
    const { root, program } = compilePattern(source, rules, refusal);
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
