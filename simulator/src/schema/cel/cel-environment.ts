import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js';
import { addNamedFormats } from './cel-formats.ts';
import { addNetwork } from './cel-network.ts';
import { addQuantities } from './cel-quantity.ts';
import { addTexts } from './cel-text.ts';
import { addUrls } from './cel-url.ts';

/** Where an expression stands: in the schema of a CRD, or in an admission policy. */
export type CelPlace = 'schema' | 'policy';

const variables: Readonly<Record<CelPlace, readonly string[]>> = {
  schema: ['self', 'oldSelf'],
  policy: ['object', 'oldObject', 'request', 'namespaceObject', 'variables'],
};

const environments = new Map<CelPlace, Environment>();
const compiled = new Map<string, ParseResult>(); // place and expression -> what runs it

/** Compiles an expression; throws the compiler's error. */
export function compileCel(expression: string, place: CelPlace = 'schema'): ParseResult {
  const key = `${place} ${expression}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const environment = environments.get(place) ?? create(place);
  environments.set(place, environment);
  const result = environment.parse(withNamedTargets(environment, expression));
  compiled.set(key, result);
  return result;
}

/** Why an expression cannot stand where a value of the type is needed, or any value where there is none; undefined when it can. */
export function celProblem(expression: string, wanted: 'bool' | 'string' | undefined, place?: CelPlace): string | undefined {
  try {
    const { error, type } = compileCel(expression, place).check();
    if (error !== undefined) return `compilation failed: ERROR: ${error.message}`;
    return wanted === undefined || type === wanted || type === 'dyn' ? undefined : `cel expression must evaluate to a ${wanted}`;
  } catch (error) {
    return `compilation failed: ERROR: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The first line of an evaluator's message, in the words of the server's. */
export function celErrorText(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/^No such key/, 'no such key');
}

/** The parts of Kubernetes' own library that the language itself lacks. */
function create(place: CelPlace): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  for (const name of variables[place]) environment.registerVariable(name, 'dyn');
  for (const add of [addTexts, addNetwork, addUrls, addQuantities, addNamedFormats]) add(environment);
  return environment
    .registerFunction('list.isSorted(): bool', (list: readonly Comparable[]) =>
      list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item),
    )
    .registerFunction('list.sum(): dyn', (list: readonly bigint[]) => list.reduce((sum, item) => sum + item, 0n))
    .registerFunction('list.min(): dyn', (list: readonly Comparable[]) => list.reduce((best, item) => (item < best ? item : best)))
    .registerFunction('list.max(): dyn', (list: readonly Comparable[]) => list.reduce((best, item) => (item > best ? item : best)));
}

type Comparable = bigint | number | string;

/** `has()` takes a field of any value; the library takes fields of names only. Every other value gets a name first. */
function withNamedTargets(environment: Environment, expression: string): string {
  for (const { op, args, range } of nodesOf(environment.parse(expression).ast)) {
    if (op !== 'call' || args[0] !== 'has') continue;
    const [target] = args[1];
    if (target?.op !== '.') continue;
    const [base, field] = target.args;
    let root = base;
    while (root.op === '.' || root.op === '.?') [root] = root.args;
    if (root.op === 'id') continue;
    const value = expression.slice(base.range.start, base.range.end);
    const named = `cel.bind(target, ${value}, has(target.${field}))`;
    return withNamedTargets(environment, `${expression.slice(0, range.start)}${named}${expression.slice(range.end)}`);
  }
  return expression;
}

function* nodesOf(part: unknown): Generator<ASTNode> {
  if (Array.isArray(part)) for (const each of part) yield* nodesOf(each);
  else if (typeof part === 'object' && part !== null && 'op' in part) {
    const node = part as ASTNode;
    yield node;
    yield* nodesOf(node.args);
  }
}
