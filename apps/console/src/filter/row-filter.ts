import { ParseError, parse } from '@marcbachmann/cel-js';
import { isExpression, parseTerms, type Term } from './terms.ts';

/** A key of a table whose rows are all here. In expressions it is `this.NAME`: a text, a list of texts or a whole number. */
export interface RowKey<Row> {
  readonly name: string;
  readonly note: string;
  readonly value: (row: Row) => string | readonly string[] | number;
  /** Its values are few and short: only whole ones match, and words are not looked for in them. Those that it can have. */
  readonly choices?: readonly string[] | undefined;
  /** Whether the values that occur are worth a list while typing. */
  readonly isListed?: boolean | undefined;
}

export interface RowFilter<Row> {
  readonly matches: (row: Row) => boolean;
  /** What is wrong with it; then it matches nothing. */
  readonly problem: string | undefined;
}

/** A filter over rows, as somebody typed it. */
export function rowFilter<Row>(query: string, keys: readonly RowKey<Row>[]): RowFilter<Row> {
  if (isExpression(query)) return expressionFilter(query, keys);
  const terms = parseTerms(
    query,
    keys.map(({ name }) => name),
  );
  return { matches: (row) => terms.every((term) => termMatches(row, term, keys)), problem: undefined };
}

function termMatches<Row>(row: Row, { key, text, isWhole }: Term, keys: readonly RowKey<Row>[]): boolean {
  const wanted = text.toLowerCase();
  const isIn = ({ value, choices }: RowKey<Row>, isExact: boolean): boolean => {
    const own = value(row);
    if (typeof own === 'number') return String(own) === wanted;
    return textsOf(own).some((each) => {
      const lower = each.toLowerCase();
      return isExact || choices !== undefined ? lower === wanted || lower === wanted.replace(' ', '-') : lower.includes(wanted);
    });
  };
  // A word is no number that happens to be the same.
  const isText = (each: RowKey<Row>): boolean => each.choices === undefined && typeof each.value(row) !== 'number';
  if (key === undefined) return keys.some((each) => isText(each) && isIn(each, false));
  return text === '' && !isWhole ? true : keys.some((each) => each.name === key && isIn(each, isWhole));
}

export const textsOf = (value: string | readonly string[] | number): readonly string[] =>
  typeof value === 'object' ? value : [String(value)];

function expressionFilter<Row>(query: string, keys: readonly RowKey<Row>[]): RowFilter<Row> {
  const holds = (expression: ReturnType<typeof parse>, valueOf: (key: RowKey<Row>) => unknown): boolean =>
    expression({ this: Object.fromEntries(keys.map((key) => [key.name, valueOf(key)])) }) === true;
  try {
    const expression = parse(query);
    // What an expression asks for that no row has is found out before it is asked of each of them.
    const names = [...query.replaceAll(/"[^"]*"/g, '').matchAll(/\bthis\.(\w+)/g)].map(([, name = '']) => name);
    const unknown = names.find((name) => !keys.some((key) => key.name === name));
    if (unknown !== undefined)
      return refused(`There is no this.${unknown}. There is ${keys.map(({ name }) => `this.${name}`).join(', ')}.`);
    const matches = (row: Row): boolean => {
      try {
        return holds(expression, (key) => celValue(key.value(row)));
      } catch {
        // Compares things of which there are none here: a list with a text.
        return false;
      }
    };
    return { matches, problem: undefined };
  } catch (thrown) {
    return refused(expressionProblem(query, thrown));
  }
}

/** Whole numbers of the language are big ones. */
const celValue = (value: string | readonly string[] | number): unknown => (typeof value === 'number' ? BigInt(value) : value);

const refused = <Row>(problem: string): RowFilter<Row> => ({ matches: () => false, problem });

function expressionProblem(query: string, thrown: unknown): string {
  if (/[^=!<>]=(?!=)/.test(query.replaceAll(/"[^"]*"/g, '""'))) return 'Use == to compare.';
  return thrown instanceof ParseError ? `Not a valid expression: ${thrown.summary}.` : 'Not a valid expression.';
}
