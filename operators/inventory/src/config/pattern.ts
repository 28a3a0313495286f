import { PatternProgram, StatusError } from '@quartermaster/kernel';
import { parsePattern } from './pattern-syntax.ts';

const longestSource = 1000;
const mostSteps = 5000;

/** A regular expression of RE2, searched anywhere in the text unless it is anchored. It is written by one person and run on every node of a cluster. */
export class Pattern {
  readonly source: string;
  readonly #program: PatternProgram;

  /** Throws `invalid_argument` for a pattern that is not valid, empty or too large. */
  constructor(source: string) {
    if (source === '')
      throw new StatusError('invalid_argument', 'pattern "" is empty and would match everything: write .* if that is meant');
    if (source.length > longestSource) throw new StatusError('invalid_argument', `pattern is longer than ${longestSource} characters`);
    const program = PatternProgram.compile(parsePattern(source), mostSteps);
    if (program === undefined)
      throw new StatusError('invalid_argument', `pattern ${JSON.stringify(source)} is too large: use smaller repetitions`);
    this.source = source;
    this.#program = program;
  }

  test(text: string): boolean {
    return this.#program.test(text);
  }
}
