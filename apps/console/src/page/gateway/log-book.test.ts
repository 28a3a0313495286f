import { describe, expect, it } from 'vitest';
import { emptyBook, type LogBook, linesIn, matcherOf, shownText, withLines } from './log-book.ts';

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ pod: 'web-0', text: `line ${from + index}` }));

describe('the lines of a log that are kept', () => {
  it('are the newest 5 000, and what is full stays what it was', () => {
    let book: LogBook = emptyBook;
    for (let written = 0; written < 6_050; written += 55) {
      const before = book.blocks.at(-2);
      book = withLines(book, numbered(written, 55));
      if (before !== undefined && book.blocks.length > 3) expect(book.blocks).toContain(before);
    }
    const texts = linesIn(book).map(({ text }) => text);
    expect(texts.length).toBeLessThanOrEqual(5_000);
    expect(texts.length).toBeGreaterThan(4_900);
    expect([texts[0], texts.at(-1)]).toEqual([`line ${book.dropped}`, 'line 6049']);
    expect(book.total).toBe(6_050);
    expect(new Set(book.blocks.map(({ id }) => id)).size).toBe(book.blocks.length);
  });

  it('are the newest also of many at once', () => {
    expect(linesIn(withLines(emptyBook, numbered(0, 12_000))).at(-1)?.text).toBe('line 11999');
  });
});

describe('what is shown of a line', () => {
  it('is text without orders to a terminal', () => {
    expect(shownText('\u001b[1;31mERROR\u001b[0m\u001b]0;title\u0007 at\tdisk\r')).toBe('ERROR at    disk');
    expect(shownText('a\u202eb\u0000')).toBe('a\ufffdb\ufffd');
  });

  it('is no more than can be read', () => {
    expect(shownText('x'.repeat(10_000))).toMatch(/^x{8192} … 1808 more characters$/);
  });
});

it('finds lines by their words and their pod', () => {
  const line = { pod: 'web-0', text: 'GET /Index 404' };
  expect(['get 404', 'WEB-0', 'index  get', 'post', 'get 500'].map((filter) => matcherOf(filter)?.(line))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(matcherOf('  ')).toBeUndefined();
});
