import { Checker } from './checker.ts';
import type { ColumnsOf } from './columns-of.ts';
import { condition } from './evaluator.ts';
import type { Filter, FilterOptions } from './filter.ts';
import { refusing } from './filter-problem.ts';
import type { SqlParameters } from './sql-parameters.ts';
import { SqlWriter } from './sql-writer.ts';
import { parseSyntax } from './syntax.ts';

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
