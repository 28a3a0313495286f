import { describe, expect, it } from 'vitest';
import { nodeState } from './node-state.ts';
import { reasonWords } from './reason-words.ts';

describe('the state of a node', () => {
  it.each([
    [{ state: 'sellable', why: [] }, 'Sellable', 'good'],
    [{ state: 'held-back', why: ['Cordoned', 'DiskPressure'] }, 'Held back: cordoned, disk pressure', 'held'],
    [{ state: 'held-back', why: ['NotReady'] }, 'Held back: not ready', 'failed'],
    [{ state: 'unknown', why: ['ReadyUnknown'] }, 'Unknown: silent', 'unknown'],
    [undefined, 'Unknown', 'unknown'],
  ] as const)('of %j is %s', (node, word, tone) => {
    expect(nodeState(node)).toEqual({ word, tone });
  });

  it('has words for the codes of reasons', () => {
    expect(['DiskPressure', 'PIDPressure', 'ReadyUnknown', 'NoQuerier'].map(reasonWords)).toEqual([
      'disk pressure',
      'PID pressure',
      'silent',
      'no querier',
    ]);
  });
});
