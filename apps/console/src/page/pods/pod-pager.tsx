import { formatInteger } from '../model/amounts.ts';

interface PodPagerProps {
  readonly page: number;
  readonly size: number;
  readonly matching: number;
  readonly onPage: (page: number) => void;
}

/** `201–400 of 150 000`, and the way to the pages beside. Takes its place also when there is only one page. */
export function PodPager({ page, size, matching, onPage }: PodPagerProps) {
  const first = Math.min(page * size + 1, matching);
  const last = Math.min((page + 1) * size, matching);
  return (
    <nav className="pager" aria-label="Pages of pods">
      <span className="dim" data-testid="pod-range">
        {matching === 0 ? 'none' : `${formatInteger(first)}–${formatInteger(last)} of ${formatInteger(matching)}`}
      </span>
      <button type="button" className="quiet-button" disabled={page === 0} onClick={() => onPage(page - 1)}>
        newer
      </button>
      <button type="button" className="quiet-button" disabled={last >= matching} onClick={() => onPage(page + 1)}>
        older
      </button>
    </nav>
  );
}
