import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { scrollToRow, type VirtualRange, virtualRange } from '../../model/virtual-range.ts';

interface VirtualRows {
  readonly range: VirtualRange;
  readonly rowHeight: number;
  readonly showRow: (row: number) => void;
}

/** As in the style sheet: a row is 32 px, and so is the heading that stays on top of the scrolled area. */
const rowHeight = 32;

/** Which rows of a scrolled list to draw, kept up to date as it scrolls and changes its size. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, rowCount: number): VirtualRows {
  const [view, setView] = useState({ scrollTop: 0, viewHeight: 900 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const read = (): void => setView({ scrollTop: element.scrollTop, viewHeight: element.clientHeight });
    read();
    element.addEventListener('scroll', read, { passive: true });
    const resized = new ResizeObserver(read);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', read);
      resized.disconnect();
    };
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (element !== null) setView({ scrollTop: element.scrollTop, viewHeight: element.clientHeight });
  }, [scroller, rowCount]);

  return {
    range: virtualRange({ rowCount, rowHeight, ...view }),
    rowHeight,
    showRow: (row) => {
      const element = scroller.current;
      if (element === null) return;
      const viewHeight = element.clientHeight - rowHeight;
      element.scrollTop = scrollToRow(row, { rowHeight, scrollTop: element.scrollTop, viewHeight });
    },
  };
}
