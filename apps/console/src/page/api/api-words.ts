import type { Tone } from '../model/node-state.ts';
import type { ApiCondition } from './api-object.ts';

/** `HOST_STATE_READY` -> `Ready`; an unspecified one is empty. */
export function enumWord(value: string | undefined, prefix: string): string {
  const word = (value ?? '')
    .replace(new RegExp(`^${prefix}_`), '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return word === '' || word === 'unspecified' ? '' : `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
}

/** The word of a state and its fill. What has not been said is unknown, not good. */
export function stateOf(value: string | undefined, prefix: string): { readonly word: string; readonly tone: Tone } {
  const word = enumWord(value, prefix);
  switch (word) {
    case 'Ready':
      return { word, tone: 'good' };
    case 'Failed':
      return { word, tone: 'failed' };
    case 'Progressing':
      return { word, tone: 'reserved' };
    default:
      return { word: word === '' ? 'Not known' : word, tone: 'unknown' };
  }
}

/** A condition in words, and its fill: one that should hold and does not is as bad as one that should not and does. */
export function conditionOf({ type, status }: ApiCondition): { readonly word: string; readonly says: string; readonly tone: Tone } {
  const word = enumWord(type, '[A-Z_]*CONDITION_TYPE');
  const says = enumWord(status, 'CONDITION_STATUS');
  const isTrue = says === 'True';
  if (says !== 'True' && says !== 'False') return { word, says: 'Unknown', tone: 'unknown' };
  switch (word) {
    case 'Ready':
      return { word, says, tone: isTrue ? 'good' : 'held' };
    case 'Failed':
      return { word, says, tone: isTrue ? 'failed' : 'plain' };
    case 'Degraded':
      return { word, says, tone: isTrue ? 'held' : 'plain' };
    case 'Progressing':
      return { word, says, tone: isTrue ? 'reserved' : 'plain' };
    default:
      return { word, says, tone: 'plain' };
  }
}

/** Milliseconds since the epoch of a timestamp; undefined for none, and for the beginning of all time. */
export function momentOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) || at <= 0 ? undefined : at;
}
