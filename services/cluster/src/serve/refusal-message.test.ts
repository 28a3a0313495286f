import { describe, expect, it } from 'vitest';
import { summaryOf } from './refusal-message.ts';

const reasons = (...messages: readonly string[]) => messages.map((message) => ({ code: 'Some', message }));

describe('the summary of a refusal', () => {
  it.each([
    ['does-not-fit', ['unit 1: there is room for 1 of 2 replicas'], 'It does not fit: unit 1: there is room for 1 of 2 replicas.'],
    ['not-found', [], 'No place was found, though there may be one.'],
    ['not-known', ['the inventory has been silent for 40s'], 'Nothing can be promised now: the inventory has been silent for 40s.'],
    ['limit', ['amy has 10 of 10'], 'More would be pending than is allowed: amy has 10 of 10.'],
    ['does-not-fit', ['a', 'b', 'a', 'c', 'd'], 'It does not fit: a; b; c; and one more reason.'],
    ['does-not-fit', ['a', 'b', 'c', 'd', 'e'], 'It does not fit: a; b; c; and 2 more reasons.'],
  ] as const)('is one sentence: %s %j', (why, messages, summary) => {
    expect(summaryOf({ why, reasons: reasons(...messages) })).toBe(summary);
  });
});
