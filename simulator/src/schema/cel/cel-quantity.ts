import type { Environment } from '@marcbachmann/cel-js';
import {
  addQuantity,
  compareQuantity,
  milliValue,
  parseQuantity,
  type Quantity,
  quantityFromWhole,
  subtractQuantity,
  wholeValue,
} from '@quartermaster/kernel';

/** A quantity as a type of CEL, which tells types by their class. */
class CelQuantity {
  readonly value: Quantity;

  constructor(value: Quantity) {
    this.value = value;
  }
}

const maxInt = 2n ** 63n - 1n;

function isInteger({ value }: CelQuantity): boolean {
  const whole = wholeValue(value);
  return compareQuantity(value, quantityFromWhole(whole)) === 0 && whole <= maxInt && whole >= -maxInt - 1n;
}

function asInteger(quantity: CelQuantity): bigint {
  if (!isInteger(quantity)) throw new Error('cannot convert value to integer');
  return wholeValue(quantity.value);
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

const compare = (a: CelQuantity, b: CelQuantity): number => compareQuantity(a.value, b.value);

/** `quantity`, `isQuantity` and their members. */
export function addQuantities(environment: Environment): Environment {
  const type = 'kubernetes.Quantity';
  environment
    .registerType(type, { ctor: CelQuantity, fields: {} })
    .registerFunction(`quantity(string): ${type}`, (text: string) => new CelQuantity(parseQuantity(text)))
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerOperator(`${type} == ${type}`, (a: CelQuantity, b: CelQuantity) => compare(a, b) === 0)
    .registerFunction(`sign(${type}): int`, ({ value }: CelQuantity) => BigInt(compareQuantity(value, quantityFromWhole(0))))
    .registerFunction(`${type}.isInteger(): bool`, isInteger)
    .registerFunction(`${type}.asInteger(): int`, asInteger)
    .registerFunction(`${type}.asApproximateFloat(): double`, ({ value }: CelQuantity) => Number(milliValue(value)) / 1000)
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0)
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0)
    .registerFunction(`${type}.compareTo(${type}): int`, (a: CelQuantity, b: CelQuantity) => BigInt(compare(a, b)));
  for (const [name, operation] of [['add', addQuantity] as const, ['sub', subtractQuantity] as const]) {
    environment
      .registerFunction(
        `${type}.${name}(${type}): ${type}`,
        (a: CelQuantity, b: CelQuantity) => new CelQuantity(operation(a.value, b.value)),
      )
      .registerFunction(
        `${type}.${name}(int): ${type}`,
        (a: CelQuantity, b: bigint) => new CelQuantity(operation(a.value, quantityFromWhole(b))),
      );
  }
  return environment;
}
