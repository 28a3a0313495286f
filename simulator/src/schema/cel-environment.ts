import { Environment, type ParseResult } from '@marcbachmann/cel-js';

let environment: Environment | undefined;
const compiled = new Map<string, ParseResult>(); // expression -> what runs it

/** Compiles a rule or a message; throws the compiler's error. */
export function compileCel(expression: string): ParseResult {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  environment ??= create();
  const result = environment.parse(expression);
  compiled.set(expression, result);
  return result;
}

/** The parts of Kubernetes' own library that the language itself lacks. */
function create(): Environment {
  return new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn')
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, to))
    .registerFunction('list.isSorted(): bool', (list: readonly Comparable[]) =>
      list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item),
    )
    .registerFunction('list.sum(): dyn', (list: readonly bigint[]) => list.reduce((sum, item) => sum + item, 0n))
    .registerFunction('list.min(): dyn', (list: readonly Comparable[]) => extreme(list, (a, b) => a < b))
    .registerFunction('list.max(): dyn', (list: readonly Comparable[]) => extreme(list, (a, b) => a > b));
}

type Comparable = bigint | number | string;

function extreme(list: readonly Comparable[], isBetter: (a: Comparable, b: Comparable) => boolean): Comparable {
  return list.reduce((best, item) => (isBetter(item, best) ? item : best));
}
