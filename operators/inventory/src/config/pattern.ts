import { compilePattern, type PatternProgram, StatusError } from '@quartermaster/kernel';

const rules = { isPortable: false, maxLength: 1000, maxRepetitions: 1000, maxNesting: 50, maxSteps: 5000 };

/** A regular expression of RE2, searched anywhere in the text unless it is anchored. It is written by one person and run on every node of a cluster. */
export class Pattern {
  readonly source: string;
  readonly #program: PatternProgram;

  /** Throws `invalid_argument` for a pattern that is not valid, empty or too large. */
  constructor(source: string) {
    const refusal = (problem: string): Error => new StatusError('invalid_argument', `pattern ${JSON.stringify(source)} ${problem}`);
    if (source === '') throw refusal('is empty and would match everything: write .* if that is meant');
    this.source = source;
    this.#program = compilePattern(source, rules, refusal).program;
  }

  test(text: string): boolean {
    return this.#program.test(text);
  }
}
