import type { ReactNode } from 'react';
import { useFeedFreshness } from '../api/use-feed.ts';
import { useFreshness } from '../live/use-live.ts';

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode | undefined;
  /** Whose word it shows, and with whose silence it goes stale. */
  readonly source?: 'cluster' | 'server' | 'fulfillment' | 'market' | undefined;
  /** What is asked for again and again, and was not answered of late. */
  readonly isLastKnown?: boolean | undefined;
  readonly children: ReactNode;
}

/** A titled part of a page. A live one turns to the pattern of the unknown when nothing confirms it any more. */
export function Panel({ title, aside, source, isLastKnown = false, children }: PanelProps) {
  const { kind, isServerStale } = useFreshness();
  const isFeedStale = useFeedFreshness().kind === 'stale';
  const isStale =
    isLastKnown ||
    ((source === 'fulfillment' || source === 'market') && isFeedStale) ||
    (source === 'cluster' && kind === 'stale') ||
    (source === 'server' && isServerStale);
  return (
    <section className="panel" data-stale={isStale ? 'true' : undefined} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {isStale ? <span className="stale-mark">last known</span> : aside !== undefined && <span className="dim">{aside}</span>}
      </header>
      {children}
    </section>
  );
}
