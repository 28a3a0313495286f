import { formatInteger } from './amounts.ts';

interface LookedAt {
  /** Of those that were looked at. */
  readonly found: number;
  readonly looked: number;
  /** On the pages before. */
  readonly before: number;
  readonly isMore: boolean;
}

/** `201–400, and more`; where the page itself looked for something, `3 among 1–1 000, and more`. */
export function pageRange({ found, looked, before, isMore }: LookedAt): string {
  const more = isMore ? ', and more' : '';
  if (looked === 0) return 'none';
  const range = `${formatInteger(before + 1)}–${formatInteger(before + looked)}`;
  if (found < looked) return `${formatInteger(found)} among ${range}${more}`;
  return before === 0 && !isMore ? `${formatInteger(looked)} in all` : `${range}${more}`;
}
