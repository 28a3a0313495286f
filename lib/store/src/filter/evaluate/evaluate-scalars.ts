import { boundsOf, maxDouble, maxInt, minDouble, minInt } from '../language/bounds.ts';
import type { FilterType } from '../language/filter-type.ts';
import type { Domain, Value } from '../language/node.ts';
import type { ArithmeticOperator, CompareOperator } from '../language/syntax.ts';
import { compareBytes, compareText } from '../language/text.ts';

/** Comparisons as CEL has them; NaN equals nothing and has no order. */
export function compare(operator: CompareOperator, domain: Domain): (left: Value, right: Value) => boolean {
  const order = orderOf(domain);
  switch (operator) {
    case '==':
      return (left, right) => order(left, right) === 0;
    case '!=':
      return (left, right) => order(left, right) !== 0;
    case '<':
      return (left, right) => order(left, right) < 0;
    case '<=':
      return (left, right) => order(left, right) <= 0;
    case '>':
      return (left, right) => order(left, right) > 0;
    case '>=':
      return (left, right) => order(left, right) >= 0;
  }
}

/** Negative, zero or positive; NaN where there is no order. */
function orderOf(domain: Domain): (left: Value, right: Value) => number {
  switch (domain) {
    case 'string':
      return (left, right) => (left === right ? 0 : compareText(left as string, right as string));
    case 'bytes':
      return (left, right) => compareBytes(left as Uint8Array, right as Uint8Array);
    case 'double':
      return (left, right) => orderOfNumbers(Number(left), Number(right));
    default:
      return (left, right) => (left === right ? 0 : left < right ? -1 : 1);
  }
}

function orderOfNumbers(left: number, right: number): number {
  if (left === right) return 0;
  if (left < right) return -1;
  return left > right ? 1 : Number.NaN;
}

export function arithmeticOf(operator: ArithmeticOperator, kind: FilterType['kind']): (left: Value, right: Value) => Value | undefined {
  if (kind === 'double') return (left, right) => doubleArithmetic(operator, left as number, right as number);
  const { least, most } = boundsOf(kind);
  return (left, right) => {
    const result = integerArithmetic(operator, left as bigint, right as bigint);
    return result === undefined || result < least || result > most ? undefined : result;
  };
}

function integerArithmetic(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0n ? undefined : left / right;
    case '%':
      return right === 0n ? undefined : left % right;
  }
}

function doubleArithmetic(operator: ArithmeticOperator, left: number, right: number): number | undefined {
  if (!isModerate(left) || !isModerate(right)) return undefined;
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right + 0;
    case '/':
      return right === 0 ? undefined : left / right + 0;
    case '%':
      return undefined;
  }
}

function isModerate(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude === 0 || (magnitude >= minDouble && magnitude <= maxDouble);
}

const integerForm = /^[+-]?[0-9]{1,30}$/;
const unsignedForm = /^[0-9]{1,30}$/;
const decimalForm = /^[+-]?[0-9]{1,15}(\.[0-9]{1,15})?$/;

/** Undefined for what does not fit into the wanted type. */
export function conversionOf(from: FilterType['kind'], to: FilterType['kind']): (value: Value) => Value | undefined {
  switch (to) {
    case 'string':
      return String;
    case 'double':
      return from === 'string' ? (text) => (decimalForm.test(text as string) ? Number(text) + 0 : undefined) : Number;
    case 'uint':
      return (value) => within(integerOf(value, unsignedForm), to);
    default:
      return from === 'timestamp' ? (micros) => secondsOf(micros as bigint) : (value) => within(integerOf(value, integerForm), to);
  }
}

function integerOf(value: Value, form: RegExp): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string') return form.test(value) ? BigInt(value.replace(/^\+/, '')) : undefined;
  // Doubles next to the bounds are not exact: both are left out.
  return (value as number) > Number(minInt) && (value as number) < Number(maxInt) ? BigInt(Math.trunc(value as number)) : undefined;
}

function within(value: bigint | undefined, kind: FilterType['kind']): bigint | undefined {
  const { least, most } = boundsOf(kind);
  return value === undefined || value < least || value > most ? undefined : value;
}

/** Rounded down. */
function secondsOf(micros: bigint): bigint {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return (micros - rest) / 1_000_000n;
}
