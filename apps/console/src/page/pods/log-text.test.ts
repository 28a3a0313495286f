import { describe, expect, it } from 'vitest';
import { emptyLog, withText } from './log-text.ts';

describe('the text of a log', () => {
  it('grows by what comes, also in the middle of a line', () => {
    expect(withText(withText(emptyLog, 'one\ntw'), 'o\n')).toEqual({ text: 'one\ntwo\n', dropped: 0 });
  });

  it('keeps its end, and knows how many lines it lost', () => {
    const many = withText(emptyLog, Array.from({ length: 6_000 }, (_, index) => `line ${index}`).join('\n'));
    expect(many.dropped).toBe(1_000);
    expect(many.text.startsWith('line 1000\n')).toBe(true);
    expect(withText(many, '\nlast')).toMatchObject({ dropped: 1_001, text: expect.stringMatching(/last$/) });
  });

  it('keeps no more characters than a page can bear', () => {
    const { text, dropped } = withText(withText(emptyLog, `${'x'.repeat(600_000)}\n`), `${'y'.repeat(600_000)}\nend`);
    expect([text.length, dropped, text.endsWith('\nend')]).toEqual([600_004, 1, true]);
  });
});
