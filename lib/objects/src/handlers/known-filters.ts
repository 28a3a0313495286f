import type { DescMessage } from '@bufbuild/protobuf';
import { compileFilter, type Filter } from '@quartermaster/store/filter';

const maxKnown = 200;
const maxKeptLength = 2_000;

/** Filters that were checked lately: clients ask for the same again and again, and checking costs more than the rest of a short list. */
export class KnownFilters {
  readonly #known = new Map<string, Filter>(); // type and text -> filter; the one that was used longest ago first

  /** A type always goes with the same hidden fields. */
  compile(text: string, message: DescMessage, hidden: (path: readonly string[]) => boolean): Filter {
    const key = `${message.typeName}\n${text}`;
    const filter = this.#known.get(key) ?? compileFilter(text, { roots: [{ variable: 'this', message, hidden }] });
    this.#known.delete(key);
    if (text.length <= maxKeptLength) this.#known.set(key, filter);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
    return filter;
  }
}
