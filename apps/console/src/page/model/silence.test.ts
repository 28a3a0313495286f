import { describe, expect, it } from 'vitest';
import { silentSince, silentSources } from './silence.ts';

const kubelet = { source: 'kubelet', since: 20, reason: 'the kubelet does not report' };

describe('the silence of a node', () => {
  it('has one age, that of the reason', () => {
    const detail = { state: 'unknown', reasons: [{ code: 'ReadyUnknown', message: '', since: 5 }], stale: [kubelet] } as const;
    expect(silentSince(detail)).toBe(5);
    expect(silentSources(detail)).toEqual([{ ...kubelet, since: 5 }]);
  });

  it('is none while the node reports, whatever else is silent', () => {
    const detail = { state: 'sellable', reasons: [], stale: [kubelet] } as const;
    expect(silentSince(detail)).toBeUndefined();
    expect(silentSources(detail)).toEqual([kubelet]);
  });
});
