import type { PodList } from '../../kubernetes-view.ts';
import { formatInteger } from '../model/amounts.ts';

interface PodPagerProps {
  /** How many pods are on the pages before. */
  readonly before: number;
  readonly list: PodList;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** `201–400 of 150 000`, and the way to the pages beside. Takes its place also when there is only one page. */
export function PodPager({ before, list, onPrevious, onNext }: PodPagerProps) {
  return (
    <nav className="pager" aria-label="Pages of pods">
      <span className="dim" data-testid="pod-range">
        {rangeText(before, list)}
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

/** The API server says how many follow where nothing is filtered; a search says how far it looked. */
function rangeText(before: number, { pods, remaining, continue: next, searched }: PodList): string {
  const last = before + pods.length;
  const range = pods.length === 0 ? 'none' : `${formatInteger(before + 1)}–${formatInteger(last)}`;
  if (searched !== undefined) {
    return searched.isComplete ? range : `${range} of the first ${formatInteger(searched.pods)} pods`;
  }
  if (remaining !== undefined) return `${range} of ${formatInteger(last + remaining)}`;
  if (next !== undefined) return `${range}, and more`;
  return pods.length === 0 ? range : `${range} of ${formatInteger(last)}`;
}
