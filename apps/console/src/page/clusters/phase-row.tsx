import { formatDuration } from '../model/relative-time.ts';
import { Dot } from '../parts/state-word.tsx';
import { ForHowLong, TimeAgo } from '../parts/time-ago.tsx';
import type { ClusterObject } from './cluster-object.ts';
import { type ClusterPhase, clusterPhases, phaseTone } from './cluster-phases.ts';

// state of a phase -> for those who do not see its dot
const words: Readonly<Record<ClusterPhase['state'], string>> = {
  done: 'done',
  current: 'in progress',
  waiting: 'waiting',
  failed: 'failed',
  ahead: 'not yet',
};

const isStanding = (state: ClusterPhase['state']): boolean => state !== 'done' && state !== 'ahead';

/** From the order to a cluster that can be used, with the reason of the step that waits. */
export function PhaseRow({ cluster }: { readonly cluster: ClusterObject }) {
  return (
    <ol className="phase-row">
      {clusterPhases(cluster).map(({ label, state, note, since, tookMs }) => (
        <li key={label} data-state={state} aria-current={isStanding(state) ? 'step' : undefined}>
          <span className="phase-head">
            <Dot tone={phaseTone(state)} />
            <strong>{label}</strong>
            <span className="dim">{words[state]}</span>
          </span>
          {note !== '' && <span>{note}</span>}
          {since !== undefined && (
            <span className="dim">
              {state === 'done' ? <TimeAgo at={since} /> : <ForHowLong since={since} />}
              {tookMs !== undefined && `, after ${formatDuration(tookMs)}`}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
