import type { Need } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { byReason, needKey, parseAcknowledgements, remedyOf } from './acknowledgements.ts';

const need = (id: string, code: string, change: Partial<Need> = {}): Need => ({
  kind: 'node',
  id,
  state: 'held-back',
  reason: { code, message: 'look at it' },
  more: 0,
  gpus: 0,
  cpuMillis: 0,
  bytes: 0,
  ...change,
});

describe('what was acknowledged', () => {
  it('is read as the browser kept it, without what has ended or makes no sense', () => {
    const kept = [{ key: 'a', reason: 'known', until: 10 }, { key: 'b', reason: 'old', until: 5 }, 7, { key: 'c' }];
    expect(parseAcknowledgements(JSON.stringify(kept), 5)).toEqual([{ key: 'a', reason: 'known', until: 10 }]);
    expect([null, 'nonsense', '{}'].map((text) => parseAcknowledgements(text, 0))).toEqual([[], [], []]);
  });

  it('is about one reason of one thing', () => {
    expect(needKey(need('n1', 'Cordoned'))).not.toBe(needKey(need('n1', 'DiskPressure')));
  });
});

describe('needs of one reason', () => {
  it('stand together, in the order of the first of each', () => {
    const groups = byReason([need('a', 'Cordoned'), need('b', 'DiskPressure'), need('c', 'Cordoned')]);
    expect(groups.map(([, members]) => members.map(({ id }) => id))).toEqual([['a', 'c'], ['b']]);
  });

  it('have a command to begin with', () => {
    expect(remedyOf(need('n1', 'Cordoned'))).toBe('kubectl uncordon n1');
    expect(remedyOf(need('n1', 'ReadyUnknown'))).toBe('kubectl describe node n1');
    expect(remedyOf(need('nfs', 'NoQuerier', { kind: 'class' }))).toBe('kubectl describe storageclass nfs');
  });
});
