import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { type FieldViolation, invalidFields, messageOf, nearest } from '@quartermaster/kernel';
import { isJsonObject } from '../../text/json-path.ts';

const maxCount = 2 ** 32 - 1;

/**
 * Reads what a person wrote, field by field, and gathers everything that is wrong with it: a value that breaks a rule is replaced by one that does not, so that
 * reading goes on to the next.
 */
export class FormReader {
  readonly #violations: FieldViolation[] = [];

  refuse(field: string, description: string): void {
    this.#violations.push({ field, description });
  }

  /** Throws `invalid_argument` with every field that was refused. */
  finish(): void {
    if (this.#violations.length > 0) throw invalidFields(this.#violations);
  }

  /** An object with none but these fields; `wayOut` says more of the known mistakes: field -> what is meant. */
  object(value: JsonValue, path: string, fields: readonly string[], wayOut: ReadonlyMap<string, string> = new Map()): JsonObject {
    if (!isJsonObject(value)) {
      this.refuse(path, `must be an object with ${fields.join(', ')}`);
      return {};
    }
    for (const name of Object.keys(value).filter((each) => !fields.includes(each))) {
      const meant = wayOut.get(name) ?? nearest(name, fields);
      const hint = meant === undefined ? `there are ${fields.join(', ')}` : `did you mean ${meant}?`;
      this.refuse(joined(path, name), `is no field of this form: ${hint}`);
    }
    return value;
  }

  list(value: JsonValue | undefined, path: string, of: string): readonly JsonValue[] {
    if (isAbsent(value)) return [];
    if (Array.isArray(value)) return value;
    this.refuse(path, `must be a list of ${of}`);
    return [];
  }

  /** An amount of one replica, in the smallest unit that is counted. `read` throws for a text that is none. */
  amount(value: JsonValue | undefined, path: string, example: string, read: (text: string) => number): bigint {
    if (isAbsent(value)) {
      this.refuse(path, `is required: an amount such as ${example}`);
      return 0n;
    }
    if (typeof value !== 'string' && typeof value !== 'number') {
      this.refuse(path, `must be an amount such as ${example}`);
      return 0n;
    }
    try {
      const amount = read(String(value).trim());
      if (amount >= 0) return BigInt(amount);
      this.refuse(path, `is ${value}; it must not be negative`);
    } catch (thrown) {
      this.refuse(path, `${messageOf(thrown).replace(/^quantity /, '')}; such as ${example}`);
    }
    return 0n;
  }

  /** A number of things. */
  count(value: JsonValue | undefined, path: string, otherwise: number): number {
    if (isAbsent(value)) return otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxCount) return value;
    this.refuse(path, `must be a whole number from 0 to ${maxCount}`);
    return otherwise;
  }

  text(value: JsonValue | undefined, path: string, otherwise: string): string {
    if (isAbsent(value)) return otherwise;
    // A model such as 4090 is a number to YAML.
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    this.refuse(path, 'must be a text');
    return otherwise;
  }

  isTrue(value: JsonValue | undefined, path: string): boolean {
    if (isAbsent(value)) return false;
    if (typeof value !== 'boolean') this.refuse(path, 'must be true or false');
    return value === true;
  }
}

/** An empty field of YAML says nothing. */
export const isAbsent = (value: JsonValue | undefined): value is undefined | null => value === undefined || value === null;

export const joined = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
