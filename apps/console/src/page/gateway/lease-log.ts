import { emptyBook, type LogBook, type LogLine, linesIn, shownText, withLines } from './log-book.ts';
import { TailJoin } from './tail-join.ts';
import type { StreamReader } from './use-followed-stream.ts';

/** The log of a lease as it comes, over all breaks of its stream: each line of a pod once, as far as that can be told. */
export class LeaseLog implements StreamReader {
  #book: LogBook = emptyBook;
  readonly #joins = new Map<string, TailJoin>(); // pod -> what was known of it when the stream began
  #isTold = true;
  readonly #listeners = new Set<() => void>();

  readonly current = (): LogBook => this.#book;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  opened(): void {
    this.#joins.clear();
  }

  take(frames: readonly string[]): void {
    const lines = frames.flatMap((frame) => this.#linesOf(frame));
    if (lines.length === 0) return;
    this.#book = withLines(this.#book, lines);
    if (!this.#isTold) return;
    this.#isTold = false;
    // However many lines come, they are drawn once for each picture.
    requestAnimationFrame(() => {
      this.#isTold = true;
      for (const changed of this.#listeners) changed();
    });
  }

  #linesOf(frame: string): readonly LogLine[] {
    const { name = '', message = '' } = JSON.parse(frame) as { readonly name?: string; readonly message?: string };
    return this.#joinOf(name)
      .take(shownText(message))
      .map((text) => ({ pod: name, text }));
  }

  #joinOf(pod: string): TailJoin {
    const known = this.#joins.get(pod);
    if (known !== undefined) return known;
    const join = new TailJoin(linesIn(this.#book).flatMap((line) => (line.pod === pod ? [line.text] : [])));
    this.#joins.set(pod, join);
    return join;
  }
}
