import { enumWord, saidTones, sentenceCase } from './enum-word.ts';
import { reasonWords } from './reason-words.ts';
import type { Tone } from './state.ts';
import type { StatedCondition } from './stated-object.ts';

/** What holds something back while it is so. */
const toMend: ReadonlySet<string> = new Set(['Degraded', 'Disputed', 'Credentials unusable']);

/** A condition in words, and its fill: one that should hold and does not is as bad as one that should not and does. */
export function conditionOf({ type, status }: StatedCondition): { readonly word: string; readonly says: string; readonly tone: Tone } {
  const word = enumWord(type, '[A-Z_]*CONDITION_TYPE');
  const says = enumWord(status, 'CONDITION_STATUS');
  if (says === 'True') return { word, says, tone: toMend.has(word) ? 'held' : (saidTones[word] ?? 'plain') };
  if (says === 'False') return { word, says, tone: word === 'Ready' ? 'held' : 'plain' };
  return { word, says: 'Unknown', tone: 'unknown' };
}

/** Why a condition is so: what was written for people, or else the code in words, which is all that a tenant gets. Empty when neither was given. */
export function conditionWhy({ reason = '', message = '' }: Pick<StatedCondition, 'reason' | 'message'>): string {
  return message === '' ? sentenceCase(reasonWords(reason)) : message;
}
