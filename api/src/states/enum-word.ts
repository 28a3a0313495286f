import type { State, Tone } from './state.ts';

/** `host classes` -> `Host classes`. */
export const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `HOST_STATE_READY` -> `Ready`; an unspecified one is empty. */
export function enumWord(value: string | undefined, prefix: string): string {
  const word = (value ?? '')
    .replace(new RegExp(`^${prefix}_`), '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return word === 'unspecified' ? '' : sentenceCase(word);
}

// what a controller says -> its fill
export const saidTones: Readonly<Record<string, Tone>> = { Ready: 'good', Failed: 'failed', Progressing: 'reserved' };

/** The word of a state and its fill. What has not been said is unknown, not good. */
export function stateOf(value: string | undefined, prefix: string): State {
  const word = enumWord(value, prefix);
  return { word: word === '' ? 'Unknown' : word, tone: saidTones[word] ?? 'unknown' };
}
