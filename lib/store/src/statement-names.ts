import { createHash } from 'node:crypto';
import type { Statement } from './database.ts';

/** Texts that are remembered without a name: from these the next ones to get one are chosen. */
const maxCandidates = 500;
/** Every connection keeps every prepared statement for as long as it lives. */
const maxNames = 50;
/** Longer texts are nobody's daily bread, and so many of them would fill the memory. */
const maxCandidateLength = 10_000;
/** So often a text must have come to be worth a name. */
const frequent = 3;

/**
 * Names, and with them preparation, for statements that are put together at run time. Only for those that come again and again, and only for so many: the others could be
 * any number, and what a connection has prepared it never forgets.
 */
export class StatementNames {
  readonly #prefix: string;
  readonly #names = new Map<string, string>(); // text -> name
  readonly #candidates = new Map<string, number>(); // text -> how often it came; the oldest first

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  statement(text: string): Statement {
    const name = this.#names.get(text) ?? this.#newName(text);
    return name === undefined ? { text } : { name, text };
  }

  #newName(text: string): string | undefined {
    if (this.#names.size >= maxNames || text.length > maxCandidateLength) return undefined;
    const times = (this.#candidates.get(text) ?? 0) + 1;
    this.#candidates.delete(text);
    if (times < frequent) {
      this.#candidates.set(text, times);
      const [oldest] = this.#candidates.keys();
      if (this.#candidates.size > maxCandidates && oldest !== undefined) this.#candidates.delete(oldest);
      return undefined;
    }
    const name = `${this.#prefix}-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    this.#names.set(text, name);
    return name;
  }
}
