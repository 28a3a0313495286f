import { FilterProblem } from '../language/filter-problem.ts';
import { boolType, describeType, type FilterType, isWrapperField } from '../language/filter-type.ts';
import type { Domain, Node, NodeOf } from '../language/node.ts';
import type { ArithmeticOperator, CompareOperator } from '../language/syntax.ts';
import { fold } from './fold.ts';

export const falseNode: Node = { kind: 'literal', type: boolType, value: false };

export function not(of: Node): Node {
  return fold({ kind: 'not', type: boolType, of });
}

export function conditional(condition: Node, chosen: Node, otherwise: Node): Node {
  return fold({ kind: 'conditional', type: chosen.type, condition, chosen, otherwise });
}

export function comparison(operator: CompareOperator, left: Node, right: Node, at: number): Node {
  if (left.type.kind === 'null' || right.type.kind === 'null') return nullTest(operator, left.type.kind === 'null' ? right : left, at);
  if (operator === '!=')
    return isWrapper(left) || isWrapper(right) ? not(equality(left, right, at)) : plainComparison('!=', left, right, at);
  return operator === '==' ? equality(left, right, at) : plainComparison(operator, left, right, at);
}

/** `== null` asks for presence: only messages and wrappers can be absent. */
function nullTest(operator: CompareOperator, of: Node, at: number): Node {
  if (operator !== '==' && operator !== '!=') throw new FilterProblem(at, `null has no order: ${operator} needs two values`);
  if (of.kind !== 'field' || of.field.fieldKind !== 'message') {
    throw new FilterProblem(at, `a ${describeType(of.type)} is never null: compare it with its default, or ask has()`);
  }
  const has: Node = { kind: 'has', type: boolType, base: of.base, field: of.field };
  return operator === '!=' ? has : not(has);
}

/** An unset wrapper is null, which equals no value. */
function equality(left: Node, right: Node, at: number): Node {
  const plain = plainComparison('==', left, right, at);
  if (isWrapper(left)) {
    const absent = isWrapper(right) ? not(presence(right)) : falseNode;
    return conditional(presence(left), isWrapper(right) ? conditional(presence(right), plain, falseNode) : plain, absent);
  }
  return isWrapper(right) ? conditional(presence(right), plain, falseNode) : plain;
}

export function isWrapper(node: Node): node is NodeOf<'field'> {
  return node.kind === 'field' && isWrapperField(node.field);
}

function presence({ base, field }: NodeOf<'field'>): Node {
  return { kind: 'has', type: boolType, base, field };
}

function plainComparison(operator: CompareOperator, left: Node, right: Node, at: number): Node {
  const domain = domainOf(left.type, right.type);
  if (domain === undefined) {
    throw new FilterProblem(
      at,
      `${operator} cannot compare ${describeType(left.type)} with ${describeType(right.type)}${advice(left, right)}`,
    );
  }
  return fold({ kind: 'compare', type: boolType, operator, domain, left, right });
}

/** What values of both types are compared as; undefined when they cannot be. */
export function domainOf(left: FilterType, right: FilterType): Domain | undefined {
  const [one, other] = [simpleDomain(left), simpleDomain(right)];
  if (one === undefined || other === undefined) return undefined;
  if ((one === 'double' && other === 'integer') || (one === 'integer' && other === 'double')) return 'double';
  return one === other && (one !== 'micros' || left.kind === right.kind) ? one : undefined;
}

function simpleDomain({ kind }: FilterType): Domain | undefined {
  switch (kind) {
    case 'int':
    case 'uint':
      return 'integer';
    case 'timestamp':
    case 'duration':
      return 'micros';
    case 'bool':
    case 'double':
    case 'string':
    case 'bytes':
      return kind;
    default:
      return undefined;
  }
}

function advice(left: Node, right: Node): string {
  const kinds = [left.type.kind, right.type.kind];
  const has = (kind: FilterType['kind']): boolean => kinds.includes(kind);
  if (has('string') && [left.type, right.type].some((type) => type.kind === 'int' && type.enumeration !== undefined)) {
    return ': write the value of the enum without quotes';
  }
  if (has('string') && has('timestamp')) return ": write timestamp('2026-01-31T12:00:00Z')";
  if (has('string') && has('duration')) return ": write duration('1h30m')";
  if (has('message')) return ': compare its fields';
  if (has('list') || has('map')) return ': use in, size(), exists() or all()';
  return has('string') ? ': convert with string(), int() or double()' : '';
}

export function arithmetic(operator: ArithmeticOperator, left: Node, right: Node, at: number): Node {
  if (operator === '+' && left.type.kind === 'string' && right.type.kind === 'string') {
    return fold({ kind: 'concatenation', type: left.type, left, right });
  }
  const kind = resultKind(operator, left.type.kind, right.type.kind);
  if (kind !== undefined) return fold({ kind: 'arithmetic', type: { kind }, operator, left, right });
  const isMixed = domainOf(left.type, right.type) === 'double' || domainOf(left.type, right.type) === 'integer';
  throw new FilterProblem(
    at,
    `${operator} does not work on ${describeType(left.type)} and ${describeType(right.type)}${isMixed ? ': convert one of them with int(), uint() or double()' : ''}`,
  );
}

function resultKind(
  operator: ArithmeticOperator,
  left: FilterType['kind'],
  right: FilterType['kind'],
): 'int' | 'uint' | 'double' | 'timestamp' | 'duration' | undefined {
  if ((left === 'int' || left === 'uint') && left === right) return left;
  if (left === 'double' && right === 'double') return operator === '%' ? undefined : 'double';
  if (operator !== '+' && operator !== '-') return undefined;
  if (left === 'duration' && right === 'duration') return 'duration';
  if (left === 'timestamp' && right === 'duration') return 'timestamp';
  if (left === 'duration' && right === 'timestamp') return operator === '+' ? 'timestamp' : undefined;
  return left === 'timestamp' && right === 'timestamp' && operator === '-' ? 'duration' : undefined;
}
