import { describe, expect, it } from 'vitest';
import type { ConsolePart, PartState } from '../../installation-view.ts';
import { partsHeadline, sortParts } from './part-order.ts';

const part = (name: string, state: PartState): ConsolePart => ({ name, kind: 'role', state, since: 0, facts: {} });

describe('the order of parts', () => {
  it('puts what needs a person first and keeps the rest in the order in which it started', () => {
    const parts = [part('a', 'ready'), part('b', 'starting'), part('c', 'ready'), part('d', 'failed'), part('e', 'degraded')];
    expect(sortParts(parts).map(({ name }) => name)).toEqual(['d', 'e', 'b', 'a', 'c']);
  });

  it('says how many are ready', () => {
    expect(partsHeadline([])).toBe('nothing has been started yet');
    expect(partsHeadline([part('a', 'ready')])).toBe('all 1 ready');
    expect(partsHeadline([part('a', 'ready'), part('b', 'failed')])).toBe('1 of 2 ready');
  });
});
