import { invalidFields, type StatusError } from '@quartermaster/kernel';

/** What is wrong with an expression, and where. `refusalOf` makes the answer for the caller of it. */
export class FilterProblem extends Error {
  /** Index of the first character that it is about; undefined where it is about the whole. */
  readonly at: number | undefined;

  constructor(at: number | undefined, message: string) {
    super(message);
    this.name = 'FilterProblem';
    this.at = at;
  }
}

/** Runs the work and turns a FilterProblem into `invalid_argument` that names the field and the place. */
export function refusing<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof FilterProblem) throw refusalOf(field, thrown);
    throw thrown;
  }
}

function refusalOf(field: string, problem: FilterProblem): StatusError {
  const place = problem.at === undefined ? '' : `at character ${problem.at + 1}: `;
  return invalidFields([{ field, description: `${place}${problem.message}` }]);
}

/** Text of the caller as it may stand in a message: short, quoted, on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
