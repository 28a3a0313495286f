/** The back end in memory: closures over messages of protobuf-es. Undefined is unknown. */
import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import { type FilterType, isWrapperField, wrappedField } from '../language/filter-type.ts';
import type { Node, NodeOf, Value } from '../language/node.ts';
import { lengthOf } from '../language/text.ts';
import { arithmeticOf, compare, conversionOf } from './evaluate-scalars.ts';
import { isSet, microsOfDuration, microsOfTimestamp, rawValue, unwrapped } from './storage-json.ts';

/** What one evaluation sees. */
export interface Scope {
  readonly roots: Readonly<Record<string, Message>>;
  /** Microseconds since 1970. */
  readonly now: bigint;
  /** Items of quantifiers by their numbers. */
  readonly variables: Value[];
}

export type Evaluator = (scope: Scope) => Value | undefined;
type Condition = (scope: Scope) => boolean | undefined;

export function evaluator(node: Node): Evaluator {
  switch (node.kind) {
    case 'literal':
      return () => node.value;
    case 'unknown':
      return () => undefined;
    case 'now':
      return (scope) => scope.now;
    case 'root':
      return (scope) => scope.roots[node.name];
    case 'variable':
      return (scope) => scope.variables[node.number];
    case 'field':
      return fieldEvaluator(node);
    case 'item':
      return itemEvaluator(node);
    case 'entry':
      return entryEvaluator(node);
    case 'conditional':
      return conditionalEvaluator(node);
    case 'arithmetic':
      return binary(node.left, node.right, arithmeticOf(node.operator, node.type.kind));
    case 'concatenation':
      return binary(node.left, node.right, (left, right) => (left as string) + (right as string));
    case 'size':
      return unary(node.of, sizeOf);
    case 'conversion':
      return unary(node.of, conversionOf(node.of.type.kind, node.type.kind));
    default:
      return condition(node);
  }
}

/** Of a node of type bool. */
export function condition(node: Node): Condition {
  switch (node.kind) {
    case 'not': {
      const of = condition(node.of);
      return (scope) => {
        const value = of(scope);
        return value === undefined ? undefined : !value;
      };
    }
    case 'and':
    case 'or':
      return junction(node.parts.map(condition), node.kind === 'or');
    case 'compare': {
      const holds = compare(node.operator, node.domain);
      return binary(node.left, node.right, holds);
    }
    case 'has':
      return unary(node.base, (message) => isSet(message as object, node.field));
    case 'hasKey':
      return binary(node.map, node.key, (map, key) => Object.hasOwn(map as object, String(key)));
    case 'includes':
      return includes(node);
    case 'oneOf': {
      const values: ReadonlySet<Value> = new Set(node.values);
      return unary(node.of, (value) => values.has(value));
    }
    case 'textTest': {
      const { test } = node;
      return binary(node.subject, node.argument, (subject, argument) => {
        const [text, part] = [subject as string, argument as string];
        if (test === 'contains') return text.includes(part);
        return test === 'startsWith' ? text.startsWith(part) : text.endsWith(part);
      });
    }
    case 'matches':
      return unary(node.subject, (subject) => node.pattern.test(subject as string));
    case 'quantifier':
      return quantified(node);
    default: {
      const value = evaluator(node);
      return (scope) => value(scope) as boolean | undefined;
    }
  }
}

/** `decisive` ends it; what is unknown counts only when nothing decides. */
function junction(parts: readonly Condition[], decisive: boolean): Condition {
  return (scope) => {
    let isKnown = true;
    for (const part of parts) {
      const value = part(scope);
      if (value === decisive) return decisive;
      if (value === undefined) isKnown = false;
    }
    return isKnown ? !decisive : undefined;
  };
}

function unary<T extends Value>(of: Node, work: (value: Value) => T | undefined): (scope: Scope) => T | undefined {
  const operand = evaluator(of);
  return (scope) => {
    const value = operand(scope);
    return value === undefined ? undefined : work(value);
  };
}

function binary<T extends Value>(
  left: Node,
  right: Node,
  work: (left: Value, right: Value) => T | undefined,
): (scope: Scope) => T | undefined {
  const [one, other] = [evaluator(left), evaluator(right)];
  return (scope) => {
    const value = one(scope);
    if (value === undefined) return undefined;
    const second = other(scope);
    return second === undefined ? undefined : work(value, second);
  };
}

function conditionalEvaluator(node: NodeOf<'conditional'>): Evaluator {
  const [decide, chosen, otherwise] = [condition(node.condition), evaluator(node.chosen), evaluator(node.otherwise)];
  return (scope) => {
    const value = decide(scope);
    if (value === undefined) return undefined;
    return value ? chosen(scope) : otherwise(scope);
  };
}

function fieldEvaluator(node: NodeOf<'field'>): Evaluator {
  const { field, type } = node;
  const unset = unsetValue(field, type);
  return unary(node.base, (message) => {
    const raw = rawValue(message as object, field);
    return raw === undefined ? unset : valueOf(raw, type, field.message);
  });
}

/** An unset wrapper has no value; any other unset field has its default. */
function unsetValue(field: DescField, type: FilterType): Value | undefined {
  if (isWrapperField(field)) return undefined;
  switch (type.kind) {
    case 'bool':
      return false;
    case 'double':
      return 0;
    case 'string':
      return '';
    case 'bytes':
      return new Uint8Array();
    case 'list':
      return [];
    case 'map':
      return {};
    case 'message':
      return create(type.message);
    default:
      return 0n;
  }
}

/** The value of what protobuf-es keeps. */
function valueOf(raw: unknown, type: FilterType, message: DescMessage | undefined): Value {
  switch (type.kind) {
    case 'timestamp':
      return microsOfTimestamp(raw as { seconds: bigint; nanos: number });
    case 'duration':
      return microsOfDuration(raw as { seconds: bigint; nanos: number });
    default: {
      const wrapped = wrappedField(message);
      const plain = wrapped === undefined ? raw : unwrapped(raw, wrapped);
      if (type.kind === 'int' || type.kind === 'uint') return BigInt(plain as number | bigint | string);
      // Minus zero is stored as zero.
      return type.kind === 'double' ? (plain as number) + 0 : (plain as Value);
    }
  }
}

function messageOfItems(node: Node): DescMessage | undefined {
  return node.kind === 'field' ? node.field.message : undefined;
}

function itemEvaluator(node: NodeOf<'item'>): Evaluator {
  const message = messageOfItems(node.list);
  return binary(node.list, node.index, (list, index) => {
    const position = index as bigint;
    const raw = position < 0n || position > 0x7fff_ffffn ? undefined : (list as readonly unknown[])[Number(position)];
    return raw === undefined ? undefined : valueOf(raw, node.type, message);
  });
}

function entryEvaluator(node: NodeOf<'entry'>): Evaluator {
  const message = messageOfItems(node.map);
  return binary(node.map, node.key, (map, key) => {
    const name = String(key);
    return Object.hasOwn(map as object, name) ? valueOf(Reflect.get(map as object, name), node.type, message) : undefined;
  });
}

function includes(node: NodeOf<'includes'>): Condition {
  const message = messageOfItems(node.list);
  const type = node.list.type.kind === 'list' ? node.list.type.item : node.item.type;
  return binary(node.list, node.item, (list, item) => (list as readonly unknown[]).some((raw) => valueOf(raw, type, message) === item));
}

function quantified(node: NodeOf<'quantifier'>): Condition {
  const message = messageOfItems(node.range);
  const body = condition(node.body);
  const { type } = node.range;
  const over = (scope: Scope, item: Value): boolean | undefined => {
    scope.variables[node.number] = item;
    return body(scope);
  };
  const range = evaluator(node.range);
  return (scope) => {
    const values = range(scope);
    if (values === undefined) return undefined;
    const items =
      type.kind === 'list'
        ? (values as readonly unknown[]).map((raw) => valueOf(raw, type.item, message))
        : Object.keys(values).map((key) => keyOf(key, type));
    return verdict(
      node.quantifier,
      items.map((item) => over(scope, item)),
    );
  };
}

/** Keys of maps are kept as text. */
function keyOf(text: string, type: FilterType): Value {
  if (type.kind !== 'map' || type.key.kind === 'string') return text;
  return type.key.kind === 'bool' ? text === 'true' : BigInt(text);
}

function verdict(quantifier: NodeOf<'quantifier'>['quantifier'], results: readonly (boolean | undefined)[]): boolean | undefined {
  const hasUnknown = results.includes(undefined);
  switch (quantifier) {
    case 'all':
      return results.includes(false) ? false : hasUnknown ? undefined : true;
    case 'exists':
      return results.includes(true) ? true : hasUnknown ? undefined : false;
    case 'exists_one':
      return hasUnknown ? undefined : results.filter((result) => result === true).length === 1;
  }
}

function sizeOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(lengthOf(value));
  if (value instanceof Uint8Array || Array.isArray(value)) return BigInt(value.length);
  return BigInt(Object.keys(value).length);
}
