import { type Phase, phaseTone } from '../model/phase.ts';
import { formatDuration } from '../model/relative-time.ts';
import { Dot } from './state-word.tsx';
import { ForHowLong, TimeAgo } from './time-ago.tsx';

// state of a phase -> for those who do not see its dot
const words: Readonly<Record<Phase['state'], string>> = {
  done: 'done',
  current: 'in progress',
  waiting: 'waiting',
  failed: 'failed',
  ahead: 'not yet',
};

const isStanding = (state: Phase['state']): boolean => state !== 'done' && state !== 'ahead';

/** The steps in their order, with the reason of the one that waits. */
export function PhaseLine({ phases }: { readonly phases: readonly Phase[] }) {
  return (
    <ol className="phase-row">
      {phases.map(({ label, state, note, since, tookMs }) => (
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
