import { useState } from 'react';
import { pageRange } from '../../model/page-range.ts';

/** Where a page of what was asked for begins. */
interface Place {
  readonly token: string | undefined;
  readonly before: number;
}

interface Way {
  readonly asked: string;
  readonly passed: readonly Place[];
  readonly at: Place;
}

const beginning: Place = { token: undefined, before: 0 };

export interface TokenPages extends Place {
  readonly last: Place | undefined;
  goBack(): void;
  goOn(token: string, shown: number): void;
}

/** Pages of a list that names the next one by a token. Another question begins at its first page. */
export function useTokenPages(asked: string): TokenPages {
  const [way, setWay] = useState<Way>({ asked, passed: [], at: beginning });
  const { passed, at }: Way = way.asked === asked ? way : { asked, passed: [], at: beginning };
  const last = passed.at(-1);
  return {
    ...at,
    last,
    goBack: () => last !== undefined && setWay({ asked, passed: passed.slice(0, -1), at: last }),
    goOn: (token, shown) => setWay({ asked, passed: [...passed, at], at: { token, before: at.before + shown } }),
  };
}

interface PagerProps {
  /** Of what. */
  readonly plural: string;
  readonly pages: TokenPages;
  /** Of the next page; empty on the last. */
  readonly next: string;
  /** Rows of this one. */
  readonly shown: number;
  /** Of those, the ones that the page itself found; undefined while there is no answer. */
  readonly found: number | undefined;
  readonly isCurrent: boolean;
}

/** Where in a long list its page stands, and the ways to the one before and the next. */
export function TokenPager({ plural, pages, next, shown, found, isCurrent }: PagerProps) {
  return (
    <nav className="pager" aria-label={`Pages of ${plural}`}>
      <span className="dim" data-testid="page-range">
        {found !== undefined && pageRange({ found, looked: shown, before: pages.before, isMore: next !== '' })}
      </span>
      <button type="button" className="quiet-button" disabled={pages.last === undefined} onClick={() => pages.goBack()}>
        previous
      </button>
      <button type="button" className="quiet-button" disabled={next === '' || !isCurrent} onClick={() => pages.goOn(next, shown)}>
        next
      </button>
    </nav>
  );
}
