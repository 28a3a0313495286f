import { enumWord, stateOf } from './enum-word.ts';
import type { State } from './state.ts';
import { deletionState, isTrue, type StatedCondition, type StatedObject } from './stated-object.ts';

/** What of a host its states are told by. */
export interface StatedHost extends StatedObject {
  readonly spec?: { readonly power_state?: string | undefined } | undefined;
  readonly status?:
    | {
        readonly state?: string | undefined;
        readonly power_state?: string | undefined;
        readonly conditions?: readonly StatedCondition[] | undefined;
        readonly cluster?: string | undefined;
        readonly host_pool?: string | undefined;
      }
    | undefined;
}

/** Where a host stands. One that a cluster has is allocated; one that is ready and free can be given away. */
export function hostState(host: StatedHost): State {
  const deletion = deletionState(host);
  if (deletion !== undefined) return deletion;
  const { word, tone } = stateOf(host.status?.state, 'HOST_STATE');
  if (tone === 'good' && isTaken(host)) return { word: 'In use', tone: 'allocated' };
  if (tone === 'unknown' && isTaken(host)) return { word: 'Claimed', tone: 'reserved' };
  // Somebody else claims it: nobody gets it before that is settled.
  if (!isTaken(host) && tone !== 'failed' && isDisputed(host)) return { word: 'Disputed', tone: 'held' };
  return { word, tone };
}

/** By a cluster or a pool. */
export const isTaken = ({ status }: StatedHost): boolean => (status?.cluster ?? '') !== '' || (status?.host_pool ?? '') !== '';

/** Whether it is told that somebody else has the machine. */
export const isDisputed = ({ status }: StatedObject): boolean =>
  status?.conditions?.some((condition) => isTrue(condition) && condition.type === 'HOST_CONDITION_TYPE_DISPUTED') === true;

/** In as little space as there is in a table: `on`, `off → on`. */
export function powerShort({ spec, status }: StatedHost): string {
  const is = powerOf(status);
  const desired = powerOf(spec);
  if (desired === '' || desired === is) return is === '' ? '–' : is;
  return `${is === '' ? '?' : is} → ${desired}`;
}

/** `on`, `off`, and what it should be where that is something else. */
export function powerWords({ spec, status }: StatedHost): string {
  const is = powerOf(status);
  const desired = powerOf(spec);
  if (is === '') return desired === '' ? 'unknown' : `should be ${desired}`;
  return desired === '' || desired === is ? is : `${is}, should be ${desired}`;
}

const powerOf = (part: { readonly power_state?: string | undefined } | undefined): string =>
  enumWord(part?.power_state, 'HOST_POWER_STATE').toLowerCase();
