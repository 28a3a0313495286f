import { Checker } from './check/checker.ts';
import type { ColumnsOf } from './contract/columns-of.ts';
import type { Filter, FilterOptions } from './contract/filter.ts';
import type { SqlParameters } from './contract/sql-parameters.ts';
import { condition } from './evaluate/evaluator.ts';
import { refusing } from './language/filter-problem.ts';
import { parseSyntax } from './language/syntax.ts';
import { SqlWriter } from './sql/sql-writer.ts';

/** Reads and checks a CEL expression over the roots. Throws `invalid_argument` with the place, the rule and the way out. */
export function compileFilter(text: string, options: FilterOptions): Filter {
  const node = refusing(options.field ?? 'filter', () => new Checker(options).checkCondition(parseSyntax(text)));
  const holds = condition(node);
  return {
    matches: (values, now) => holds({ roots: values, now: BigInt(now.getTime()) * 1000n, variables: [] }) === true,
    toSql: (columns: ColumnsOf, parameters: SqlParameters, now?: Date) =>
      `(${new SqlWriter(columns, parameters, now && BigInt(now.getTime()) * 1000n).condition(node, true)})`,
  };
}
