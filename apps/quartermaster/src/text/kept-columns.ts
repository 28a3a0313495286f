import { table, textWidth } from './table.ts';

/** Columns as wide as whatever was in them so far, so that lines that come later stand under the earlier ones. */
export class KeptColumns {
  readonly #widths: number[] = [];

  widen(rows: readonly (readonly string[])[]): void {
    for (const row of rows) {
      for (const [column, cell] of row.entries()) this.#widths[column] = Math.max(this.#widths[column] ?? 0, textWidth(cell));
    }
  }

  text(rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return '';
    this.widen(rows);
    const laidOut = table(
      this.#widths.map((width) => '-'.repeat(width)),
      rows,
    );
    return laidOut.slice(laidOut.indexOf('\n') + 1);
  }
}
