import type { Faults } from './faults.ts';

/*
 * Data that anybody may have sent, of which nothing is known. Each function reads one value: where it is not what it must be, a fault is added and a harmless value
 * returned, so that all other faults are found as well. Null is the same as nothing, as the ecosystem's tools write it.
 */

export interface Entry {
  readonly value: unknown;
  /** Such as `/0/services/1/image`. */
  readonly path: string;
  readonly faults: Faults;
}

type Fields = Readonly<Record<string, unknown>>;

interface Range {
  readonly min: number;
  readonly max: number;
}

export const member = ({ value, path, faults }: Entry, key: string): Entry => ({
  value: isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined,
  path: `${path}/${key}`,
  faults,
});

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

export const isMissing = ({ value }: Entry): boolean => value === undefined || value === null;

/** Empty where it is missing. */
export function listOf({ value, path, faults }: Entry): readonly Entry[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((each: unknown, at) => ({ value: each, path: `${path}/${at}`, faults }));
  faults.add(path, 'must be a list');
  return [];
}

/** Whether members can be read of it. */
export function checkFields(entry: Entry, what: string): boolean {
  if (isFields(entry.value)) return true;
  entry.faults.add(entry.path, isMissing(entry) ? `is missing: ${what}` : `must be an object: ${what}`);
  return false;
}

/** Empty where it is missing. */
export function textOf({ value, path, faults }: Entry): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') faults.add(path, 'must be text');
  // Neither can be stored, or given to a process.
  else if (/\0|\p{Surrogate}/u.test(value))
    faults.add(path, 'has a character that cannot be stored: remove NUL and halves of surrogate pairs');
  else return value;
  return '';
}

export const textsOf = (entry: Entry): readonly string[] => listOf(entry).map(textOf);

/** False where it is missing. */
export function flagOf({ value, path, faults }: Entry): boolean {
  if (value !== undefined && value !== null && typeof value !== 'boolean') faults.add(path, 'must be true or false');
  return value === true;
}

/** A whole number; `missing` where there is none, which must be within the range, or it is needed. */
export function wholeOf({ value, path, faults }: Entry, { min, max }: Range, missing: number): number {
  const whole = value === undefined || value === null ? missing : value;
  if (typeof whole === 'number' && Number.isSafeInteger(whole) && whole >= min && whole <= max) return whole;
  faults.add(
    path,
    max === Number.MAX_SAFE_INTEGER ? `must be a whole number of at least ${min}` : `must be a whole number from ${min} to ${max}`,
  );
  return min;
}

const amounts: Range = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** An amount as the ecosystem's tools write it, `{"val": "500"}`, or by itself as text or as a number. */
export function amountOf(entry: Entry): number {
  const { value } = isFields(entry.value) ? member(entry, 'val') : entry;
  const isDigits = typeof value === 'string' && /^[0-9]{1,16}$/.test(value);
  return wholeOf({ ...entry, value: isDigits ? Number(value) : value }, amounts, Number.NaN);
}
