import { parseQuantity, StatusError } from '@quartermaster/kernel';

/** What is wrong with a value, as the path from it and a rule; undefined when nothing is. */
type Check = (value: unknown) => readonly [path: string, rule: string] | undefined;

/*
 * Of what type the parts of an object must be that are read of it. Any field may be absent, or null, which is the same; members of lists and maps may
 * not. Fields that are not mentioned may be anything.
 */

export const text = leaf('a text', (value) => typeof value === 'string');
/** Of a PCI vendor or product, as sysfs writes it: it becomes a part of labels. */
export const pciId = leaf('four lower-case hex digits', (value) => typeof value === 'string' && /^[0-9a-f]{4}$/.test(value));
export const flag = leaf('true or false', (value) => typeof value === 'boolean');
/** For shares and settings; amounts are whole. */
export const share = leaf('a number, not negative', (value) => Number.isFinite(value) && Number(value) >= 0);
export const whole = leaf('a whole number, not negative and less than 2^53', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
export const anything: Check = () => undefined;
/** Of bytes or pieces. */
export const quantity = leaf('a quantity, not negative and less than 2^53', isQuantity);

export function listOf(member: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return ['', 'must be a list'];
    for (let index = 0; index < value.length; index += 1) {
      const wrong = member(value[index]);
      if (wrong !== undefined) return [`[${index}]${wrong[0]}`, wrong[1]];
    }
    return undefined;
  };
}

/** By any keys. */
export function mapOf(member: Check): Check {
  return (value) => {
    if (!isObject(value)) return ['', 'must be an object'];
    for (const [key, each] of Object.entries(value)) {
      const wrong = member(each);
      if (wrong !== undefined) return [`.${key}${wrong[0]}`, wrong[1]];
    }
    return undefined;
  };
}

export function fields(shape: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(shape);
  return (value) => {
    if (!isObject(value)) return ['', 'must be an object'];
    for (const [name, check] of checks) {
      const field = value[name];
      const wrong = field === undefined || field === null ? undefined : check(field);
      if (wrong !== undefined) return [`.${name}${wrong[0]}`, wrong[1]];
    }
    return undefined;
  };
}

/** The same, and these must be there. */
export function required(shape: Readonly<Record<string, Check>>): Check {
  const check = fields(shape);
  return (value) => {
    const missing = isObject(value) ? Object.keys(shape).find((name) => value[name] === undefined || value[name] === null) : undefined;
    return missing === undefined ? check(value) : [`.${missing}`, 'must be there'];
  };
}

export function both(one: Check, other: Check): Check {
  return (value) => one(value) ?? other(value);
}

/**
 * The same projection for objects of any shape: it throws `invalid_argument` naming the first field that is not as the shape says. What a server stores of
 * a kind without a strict schema may be anything, and one odd object must not reach those who count.
 */
export function shaped<T, P>(shape: Check, project: (object: T) => P): (object: T) => P {
  return (object) => {
    const wrong = shape(object);
    if (wrong === undefined) return project(object);
    throw new StatusError('invalid_argument', `${wrong[0].replace(/^\./, '') || 'the object'} ${wrong[1]}`);
  };
}

function leaf(type: string, isOne: (value: unknown) => boolean): Check {
  const wrong: readonly [string, string] = ['', `must be ${type}`];
  return (value) => (isOne(value) ? undefined : wrong);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxNanos = BigInt(Number.MAX_SAFE_INTEGER) * 1_000_000_000n;

function isQuantity(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const { nanos } = parseQuantity(value);
    return nanos >= 0n && nanos <= maxNanos;
  } catch {
    return false;
  }
}
