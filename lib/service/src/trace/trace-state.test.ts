import { describe, expect, it } from 'vitest';
import { PassedTraceState } from './trace-state.ts';

describe('PassedTraceState', () => {
  it('passes well-formed members on in their order and leaves others out', () => {
    expect(PassedTraceState.parse('b=2, a=1 ,=x,UPPER=1,c,d=a=b').serialize()).toBe('b=2,a=1');
  });

  it('puts what was set last first', () => {
    const state = PassedTraceState.parse('a=1,b=2').set('b', '3');
    expect(state.serialize()).toBe('b=3,a=1');
    expect(state.get('b')).toBe('3');
    expect(state.unset('a').serialize()).toBe('b=3');
  });

  it('passes at most 32 members on', () => {
    const header = Array.from({ length: 40 }, (_, i) => `k${i}=v`).join(',');
    expect(PassedTraceState.parse(header).serialize().split(',')).toHaveLength(32);
  });
});
