import { sentenceCase } from '@quartermaster/api/states';
import { plainLine } from '@quartermaster/kernel';

const most = 240;

/** The beginning of it: of a message that says first what it is about. */
export function firstWords(text: string): string {
  const letters = Array.from(plainLine(text));
  return letters.length <= most ? letters.join('') : `${letters.slice(0, most).join('').trimEnd()} …`;
}

/** One after the other: some of these texts are sentences, and others are parts of one. */
export const joinedTexts = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .reduce((before, text) => (before === '' ? text : before.endsWith('.') ? `${before} ${sentenceCase(text)}` : `${before}; ${text}`), '');
