import { describe, expect, it } from 'vitest';
import { problemText } from './api-error.ts';

describe('a problem in words', () => {
  it('says since when there is no answer', () => {
    expect(problemText({ code: 'unavailable', message: 'fetch failed', since: 1_000_000 })).toMatch(
      /^The fulfillment service has not answered since \d\d:\d\d:\d\d\. /,
    );
  });

  it.each([
    ['it is refused', 'It is refused.'],
    ['did you mean "rack"?', 'Did you mean "rack"?'],
    ['', '.'],
  ])('makes a sentence of %j', (message, sentence) => {
    expect(problemText({ code: 'invalid_argument', message, since: undefined })).toBe(sentence);
  });
});
