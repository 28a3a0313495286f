import { describe, expect, it } from 'vitest';
import { stockWords } from './stock-words.ts';

describe('the stock beside an order', () => {
  it('says how many are free, and how many of the order are not', () => {
    expect(stockWords(5, 3)).toBe('5 free now');
    expect(stockWords(5, 7)).toBe('5 free now: 2 hosts will have to be waited for');
    expect(stockWords(0, undefined)).toBe('0 free now');
    expect(stockWords(undefined, 3)).toBe('');
  });
});
