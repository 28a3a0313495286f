import { describe, expect, it } from 'vitest';
import { outcomeOf } from './record-write.ts';

const live = { metadata: { finalizers: ['f'] } };
const dying = { metadata: { finalizers: ['f'], deletionTimestamp: {} } };
const over = { metadata: { finalizers: [], deletionTimestamp: {} } };

describe('outcome of a write', () => {
  it.each([
    ['created', undefined, live],
    ['updated', live, live],
    ['updated', {}, {}],
    ['deleted', live, dying],
    ['updated', dying, dying],
    ['archived', dying, over],
    ['archived', live, over],
  ])('is %s', (outcome, before, after) => {
    expect(outcomeOf(before, after)).toBe(outcome);
  });
});
