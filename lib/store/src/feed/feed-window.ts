import type { FeedRow } from './feed-table.ts';
import { comparePositions, type Position } from './position.ts';

/**
 * The newest rows, in memory for everybody who is near the end of the feed. Holds every row after `start` up to `end`, none before. Bounded by rows and bytes: whoever
 * falls behind it reads the table instead.
 */
export class FeedWindow {
  readonly #maxRows: number;
  readonly #maxBytes: number;
  #rows: FeedRow[] = [];
  #bytes = 0;
  #start: Position;
  #end: Position;

  constructor(start: Position, limits: { readonly maxRows: number; readonly maxBytes: number }) {
    this.#start = start;
    this.#end = start;
    this.#maxRows = limits.maxRows;
    this.#maxBytes = limits.maxBytes;
  }

  get end(): Position {
    return this.#end;
  }

  append(rows: readonly FeedRow[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      this.#bytes += sizeOf(row);
      this.#end = row.position;
    }
    // Cut to half at a time: moving the rest to the front is paid for by many rows.
    if (this.#rows.length > this.#maxRows || this.#bytes > this.#maxBytes) this.#cut();
  }

  /** Up to `limit` rows after the position; undefined when the window begins later than that. */
  after(position: Position, limit: number): readonly FeedRow[] | undefined {
    if (comparePositions(position, this.#start) < 0) return undefined;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#rows[middle];
      if (row !== undefined && comparePositions(row.position, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return this.#rows.slice(low, low + limit);
  }

  #cut(): void {
    let count = 0;
    while (count < this.#rows.length && (this.#rows.length - count > this.#maxRows / 2 || this.#bytes > this.#maxBytes / 2)) {
      const row = this.#rows[count];
      if (row !== undefined) {
        this.#bytes -= sizeOf(row);
        this.#start = row.position;
      }
      count += 1;
    }
    this.#rows = this.#rows.slice(count);
  }
}

/** The object itself, and about as much as the rest of a row takes. */
function sizeOf(row: FeedRow): number {
  return row.change.body.length + 512;
}
