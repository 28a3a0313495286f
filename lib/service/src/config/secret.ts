import { inspect } from 'node:util';

/** What stands in the place of anything that must not be shown. */
export const hidden = '[secret]';

/**
 * A value that no common way of printing, logging, copying or serialising shows: each gives `[secret]` or an empty object. Reading it
 * takes a call of `reveal`, which a reviewer can search for.
 */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself. Hand the result on at once; do not keep it, and do not put it into a message. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  /** Template literals, concatenation and arithmetic ask this first. */
  [Symbol.toPrimitive](): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }

  get [Symbol.toStringTag](): string {
    return 'Secret';
  }
}
