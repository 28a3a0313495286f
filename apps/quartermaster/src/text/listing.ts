import type { Paint } from './paint.ts';
import { table } from './table.ts';

/** How a person wants to see things. */
export interface Look {
  /** Integers instead of natural amounts. */
  readonly exact: boolean;
  readonly wide: boolean;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  readonly paint: Paint;
}

/** What `get` shows of one kind of thing. */
export interface Listing {
  readonly header: readonly string[];
  readonly rows: readonly ListingRow[];
  /** Instead of a table without rows. */
  readonly whenEmpty: string;
  /** Text after the table: legends, totals, how fresh it is. Blocks of whole lines. */
  readonly notes: readonly string[];
}

export interface ListingRow {
  /** The same for the same thing at another time. */
  readonly key: string;
  readonly cells: readonly string[];
}

/** How `get` shows what was read of one kind of thing. */
export interface ListView<State> {
  list(state: State, look: Look): Listing;
  /** Everything, for programs. */
  document(state: State): unknown;
  /** Each thing by itself, for programs that follow: key -> object. Absent where it cannot be followed. */
  objects?(state: State): ReadonlyMap<string, unknown>;
  /** What each thing is called, for `-o name`. */
  names?(state: State): readonly string[];
}

export function listingText({ header, rows, whenEmpty, notes }: Listing): string {
  const cells = rows.map((row) => row.cells);
  const blocks = [rows.length === 0 ? `${whenEmpty}\n` : table(header, cells), ...notes];
  return blocks.join('\n');
}
