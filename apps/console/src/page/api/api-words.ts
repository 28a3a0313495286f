import { sentenceCase } from '../model/amounts.ts';
import { reasonWords } from '../model/capacity-words.ts';
import type { Tone } from '../model/node-state.ts';
import type { ApiCondition } from './api-object.ts';

/** `HOST_STATE_READY` -> `Ready`; an unspecified one is empty. */
export function enumWord(value: string | undefined, prefix: string): string {
  const word = (value ?? '')
    .replace(new RegExp(`^${prefix}_`), '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return word === 'unspecified' ? '' : sentenceCase(word);
}

const stateTones: Readonly<Record<string, Tone>> = { Ready: 'good', Failed: 'failed', Progressing: 'reserved' };

/** The word of a state and its fill. What has not been said is unknown, not good. */
export function stateOf(value: string | undefined, prefix: string): { readonly word: string; readonly tone: Tone } {
  const word = enumWord(value, prefix);
  return { word: word === '' ? 'Unknown' : word, tone: stateTones[word] ?? 'unknown' };
}

/** A condition in words, and its fill: one that should hold and does not is as bad as one that should not and does. */
export function conditionOf({ type, status }: ApiCondition): { readonly word: string; readonly says: string; readonly tone: Tone } {
  const word = enumWord(type, '[A-Z_]*CONDITION_TYPE');
  const says = enumWord(status, 'CONDITION_STATUS');
  if (says === 'True')
    return { word, says, tone: word === 'Degraded' || word === 'Credentials unusable' ? 'held' : (stateTones[word] ?? 'plain') };
  if (says === 'False') return { word, says, tone: word === 'Ready' ? 'held' : 'plain' };
  return { word, says: 'Unknown', tone: 'unknown' };
}

/** Why a condition is so: what was written for people, or else the code in words, which is all that a tenant gets. Empty when neither was given. */
export function conditionWhy({ reason = '', message = '' }: Pick<ApiCondition, 'reason' | 'message'>): string {
  return message === '' ? sentenceCase(reasonWords(reason)) : message;
}

/** Milliseconds since the epoch of a timestamp; undefined for none, and for the beginning of all time. */
export function momentOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) || at <= 0 ? undefined : at;
}
