import { countOf } from '../model/amounts.ts';

/** What an order of more hosts than there are free will come to: `5 free now`. */
export function stockWords(free: number | undefined, more: unknown): string {
  if (free === undefined) return '';
  const short = typeof more === 'number' ? more - free : 0;
  return short > 0 ? `${free} free now: ${countOf(short, 'host')} will have to be waited for` : `${free} free now`;
}
