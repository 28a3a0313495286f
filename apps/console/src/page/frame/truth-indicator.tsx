import type { Tone } from '@quartermaster/api/states';
import { useContext } from 'react';
import { useLive } from '../live/use-live.ts';
import type { Freshness } from '../model/freshness.ts';
import { formatMoments } from '../model/relative-time.ts';
import { Dot } from '../parts/state-word.tsx';
import { TruthContext, usePageTruth } from './truth.ts';

// how far it can be believed -> its dot
const tones: Readonly<Record<Freshness['kind'], Tone>> = { waiting: 'unknown', live: 'good', doubtful: 'held', stale: 'unknown' };

/** How old the truth on the screen is, always in sight. */
export function TruthIndicator() {
  const { kind, label } = usePageTruth();
  const source = useContext(TruthContext);
  const { summary, heardAt } = useLive();
  const at = source === 'cluster' ? (summary?.observedAt ?? heardAt) : undefined;
  return (
    <div className="truth" data-kind={kind} title={at === undefined ? undefined : `last confirmed ${formatMoments(at)}`}>
      <Dot tone={tones[kind]} />
      <span data-testid="truth">{label}</span>
    </div>
  );
}
