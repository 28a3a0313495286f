/** The rows of a long list that are worth drawing. */
export interface VirtualRange {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

export interface VirtualView {
  readonly rowCount: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly viewHeight: number;
}

/** Drawn above and below what is visible, so that a fast scroll does not show gaps. */
const spareRows = 12;

export function virtualRange({ rowCount, rowHeight, scrollTop, viewHeight }: VirtualView): VirtualRange {
  const lastVisible = Math.ceil((Math.max(0, scrollTop) + viewHeight) / rowHeight);
  const end = Math.min(rowCount, lastVisible + spareRows);
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight) - spareRows, end - 1));
  return { first, end };
}

/** Where to scroll so that a row is visible, moving no more than needed. */
export function scrollToRow(row: number, { rowHeight, scrollTop, viewHeight }: Omit<VirtualView, 'rowCount'>): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - viewHeight);
}
