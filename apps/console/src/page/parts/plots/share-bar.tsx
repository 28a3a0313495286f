import { Link } from 'wouter';
import { formatInteger } from '../../model/amounts.ts';
import type { Share } from '../../model/cluster-shares.ts';
import { Changing } from '../changing.tsx';
import { Dot } from '../state-word.tsx';
import { Bar } from './bar.tsx';

interface ShareBarProps {
  readonly title: string;
  readonly headline: string;
  readonly shares: readonly Share[];
  /** What stands here when there is nothing to count. */
  readonly empty: string;
  /** A further class in the style sheet. */
  readonly layout?: string | undefined;
}

/** A bar, the number, and the reasons: each segment and each reason is a link to the list behind it. */
export function ShareBar({ title, headline, shares, empty, layout = '' }: ShareBarProps) {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={`share-row ${layout}`}>
      <h3>{title}</h3>
      <Bar
        total={total}
        parts={Object.fromEntries(
          shares.map(({ label, count, tone, href }) => [label, { amount: count, tone, href, title: `${formatInteger(count)} ${label}` }]),
        )}
      />
      <div className="share-words">
        <strong>
          <Changing value={headline}>{headline}</Changing>
        </strong>
        {shares.length === 0 && <span className="dim">{empty}</span>}
        {shares.map(({ label, count, tone, href }) => (
          <Link key={label} href={href} className="reason">
            <Dot tone={tone} />
            <Changing value={count}>{formatInteger(count)}</Changing> {label}
          </Link>
        ))}
      </div>
    </div>
  );
}
