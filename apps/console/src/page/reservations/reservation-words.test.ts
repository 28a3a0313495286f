import { orderText } from '@quartermaster/api/states';
import { describe, expect, it } from 'vitest';
import {
  amountWords,
  nodesOf,
  placeHref,
  podWords,
  shortOrder,
  unreserveConsequences,
  untilShort,
  untilWords,
} from './reservation-words.ts';

const gib = 1024 ** 3;
const order = { owner: 'akash1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', dseq: '18446744073709551615', gseq: 1, oseq: 2 };
const plan = {
  units: [
    { id: 1, replicas: [{ node: 'b' }, { node: 'a' }, { node: 'b' }] },
    { id: 2, replicas: [{ node: 'b' }] },
  ],
};

describe('the words of a reservation', () => {
  it('name its order, whose number may be larger than a number of the language', () => {
    expect(orderText(order)).toBe(`${order.owner}/18446744073709551615/1/2`);
    expect(shortOrder(order)).toContain('…');
    expect(orderText({})).toBe('/0/0/0');
  });

  it('say until when it is promised', () => {
    const at = Date.parse('2026-11-16T12:00:00Z');
    const pending = { phase: 'RESERVATION_PHASE_PENDING', expiresAt: '2026-11-16T12:05:00Z' } as const;
    expect(untilWords(pending, at)).toBe('expires in 5 min');
    expect(untilWords(pending, at + 305_000)).toBe('expired 5 s ago');
    expect(untilWords({ phase: 'RESERVATION_PHASE_ACTIVE' }, at)).toBe('until it is unreserved');
    expect(untilWords({ phase: 'RESERVATION_PHASE_PENDING', bid: { denom: 'uakt', amount: '1' } }, at)).toBe('while its bid can win');
    expect(untilShort(pending, at)).toBe('in 5 min');
    expect(untilShort({ phase: 'RESERVATION_PHASE_ACTIVE' }, at)).toBe('never');
  });

  it('say what is promised, and leave out what is not', () => {
    const resources = {
      cpuMillis: '64000',
      memoryBytes: String(512 * gib),
      gpus: { 'nvidia.com/gpu': '6', 'amd.com/gpu': '2' },
      storage: { beta3: String(1024 * gib) },
      ports: '1',
    };
    expect(amountWords(resources)).toBe('8 GPUs, 64 cores, 512 GiB memory, 1 TiB beta3, 1 external port');
    expect([amountWords({}), amountWords(undefined)]).toEqual(['', '']);
  });

  it('count replicas by node and by pod', () => {
    expect(nodesOf({ plan })).toEqual([
      { node: 'a', replicas: 1 },
      { node: 'b', replicas: 3 },
    ]);
    expect(
      podWords({
        unitPods: [
          { unit: 1, replicas: 3, pods: 2 },
          { unit: 2, replicas: 1 },
        ],
      }),
    ).toBe('2 of 4');
  });

  it('lead to where a condition holds', () => {
    expect(['node/gpu-1', 'storage/beta3', 'ports'].map(placeHref)).toEqual(['/nodes/gpu-1', '/storage?class=beta3', undefined]);
  });
});

describe('what giving a reservation back does', () => {
  it('is said with amounts and names', () => {
    const sentences = unreserveConsequences({
      order,
      owner: order.owner,
      plan,
      phase: 'RESERVATION_PHASE_PENDING',
      held: { cpuMillis: '4000' },
    });
    expect(sentences[0]).toContain(orderText(order));
    expect(sentences[1]).toBe('4 cores on a, b can be promised to others at once.');
    expect(sentences[2]).toContain('bid');
  });

  it('warns of the pods of a lease', () => {
    const [, back, lease] = unreserveConsequences({
      order,
      plan,
      phase: 'RESERVATION_PHASE_ACTIVE',
      leaseNamespace: { name: 'lease-1' },
      unitPods: [{ unit: 1, replicas: 3, pods: 2 }],
    });
    expect(back).toBe('Nothing is given back: its pods have all of it.');
    expect(lease).toContain('in the namespace lease-1: its 2 pods go on running');
  });
});
