import type { RunningLeaseJson } from '@quartermaster/api/cluster';
import { leasePhaseWord, sentenceCase } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import type { Phase } from '../model/phase.ts';

/** The end is no step that a lease waits for. */
const ends: ReadonlySet<string> = new Set(['closing', 'closed']);

const states: Readonly<Record<string, Phase['state']>> = { done: 'done', waiting: 'current', failed: 'failed' };

/** From the order to what it is now, each step with how long it took since the one before. */
export function leasePhases({ phases = [], unhealthySince }: Pick<RunningLeaseJson, 'phases' | 'unhealthySince'>): readonly Phase[] {
  return phases
    .filter(({ name = '', state }) => !(ends.has(name) && (state ?? 'ahead') === 'ahead'))
    .map(({ name = '', state: said = '', message = '', at }, index, shown): Phase => {
      const state = states[said] ?? 'ahead';
      const label = leasePhaseWord(name);
      const note = sentenceCase(message);
      // What fails has been reached before, perhaps long ago: that is not since when it fails.
      if (state === 'failed') return { label, state, note, since: name === 'running' ? momentOf(unhealthySince) : undefined };
      const since = momentOf(at);
      const before = momentOf(shown[index - 1]?.at);
      const isTimed = state === 'done' && since !== undefined && before !== undefined;
      return { label, state, note, since, tookMs: isTimed ? Math.max(0, since - before) : undefined };
    });
}
