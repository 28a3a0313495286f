import type { ApiCondition } from '../api/api-object.ts';
import { enumWord, stateOf } from '../api/api-words.ts';
import type { Tone } from '../model/node-state.ts';
import type { Host } from './host.ts';

/** Where a host stands in a word. One that a cluster has is allocated; one that is ready and free can be given away. */
export function hostState(host: Host): { readonly word: string; readonly tone: Tone } {
  const { metadata, status } = host;
  if (metadata.deletion_timestamp !== undefined) return { word: 'Being deleted', tone: 'held' };
  const { word, tone } = stateOf(status?.state, 'HOST_STATE');
  if (tone === 'good' && isTaken(host)) return { word: 'In use', tone: 'allocated' };
  if (tone === 'unknown' && isTaken(host)) return { word: 'Claimed', tone: 'reserved' };
  // More than one source claims it: nobody gets it before that is settled.
  if (!isTaken(host) && tone !== 'failed' && status?.conditions?.some(isConflict) === true) return { word: 'Disputed', tone: 'held' };
  return { word, tone };
}

/** By a cluster or a pool. */
export const isTaken = ({ status }: Host): boolean => (status?.cluster ?? '') !== '' || (status?.host_pool ?? '') !== '';

const isConflict = ({ status, reason }: ApiCondition): boolean => status === 'CONDITION_STATUS_TRUE' && reason === 'SourceConflict';

/** The same in as little space as there is in a table: `on`, `off → on`. */
export function powerShort({ spec, status }: Host): string {
  const is = enumWord(status?.power_state, 'HOST_POWER_STATE').toLowerCase();
  const shall = enumWord(spec?.power_state, 'HOST_POWER_STATE').toLowerCase();
  if (shall === '' || shall === is) return is === '' ? '–' : is;
  return `${is === '' ? '?' : is} → ${shall}`;
}

/** `On`, `Off`, and what it shall be where that is something else. */
export function powerWords({ spec, status }: Host): string {
  const is = enumWord(status?.power_state, 'HOST_POWER_STATE');
  const shall = enumWord(spec?.power_state, 'HOST_POWER_STATE');
  if (is === '') return shall === '' ? 'unknown' : `should be ${shall.toLowerCase()}`;
  return shall === '' || shall === is ? is.toLowerCase() : `${is.toLowerCase()}, should be ${shall.toLowerCase()}`;
}
