import type { PodList } from '../../kubernetes-view.ts';
import { rangeText } from './range-text.ts';

interface PodPagerProps {
  readonly list: PodList;
  readonly offset: number;
  /** How many pods were looked at before those of this answer. */
  readonly lookedBefore: number;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** `201–400 of 3 512`, how far was looked, and the way to the pages beside. Takes its place also when there is only one page. */
export function PodPager({ list, offset, lookedBefore, onPrevious, onNext }: PodPagerProps) {
  return (
    <nav className="pager" aria-label="Pages of pods">
      <span className="dim" data-testid="pod-range">
        {rangeText(list, offset, lookedBefore)}
      </span>
      <button type="button" className="quiet-button" disabled={onPrevious === undefined} onClick={onPrevious}>
        previous
      </button>
      <button type="button" className="quiet-button" disabled={onNext === undefined} onClick={onNext}>
        next
      </button>
    </nav>
  );
}
