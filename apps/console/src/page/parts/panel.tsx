import type { ReactNode } from 'react';
import { useFreshness } from '../live/use-live.ts';

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  /** Whether it shows something that can go stale. */
  readonly isLive?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. A live one turns to the pattern of the unknown when nothing confirms it any more. */
export function Panel({ title, aside, isLive = false, children }: PanelProps) {
  const isStale = useFreshness().kind === 'stale' && isLive;
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
