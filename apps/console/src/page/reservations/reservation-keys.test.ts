import { describe, expect, it } from 'vitest';
import { rowFilter } from '../../filter/row-filter.ts';
import { isAllNarrowed, narrowed, reservationKeys } from './reservation-keys.ts';

describe('the filter of reservations', () => {
  it.each([
    ['', {}, true],
    ['phase:active', { phase: 'RESERVATION_PHASE_ACTIVE' }, true],
    ['owner:"akash1abc" node:"gpu-1"', { owner: 'akash1abc', node: 'gpu-1' }, true],
    ['condition:"OverCommitted" phase:pending', { condition: 'OverCommitted', phase: 'RESERVATION_PHASE_PENDING' }, true],
    // A part of a name is nothing that the service can look for.
    ['owner:akash1 phase:active', { phase: 'RESERVATION_PHASE_ACTIVE' }, false],
    ['1234', {}, false],
    ['this.owner == "akash1abc"', {}, false],
  ])('%s is asked of the service as %j', (query, asked, isAll) => {
    expect(narrowed(query)).toEqual(asked);
    expect(isAllNarrowed(query)).toBe(isAll);
  });

  it('finds by order, owner, node and condition', () => {
    const reservation = {
      order: { owner: 'akash1abc', dseq: '1234', gseq: 1, oseq: 1 },
      owner: 'akash1abc',
      phase: 'RESERVATION_PHASE_ACTIVE',
      confirmed: true,
      plan: { units: [{ id: 1, replicas: [{ node: 'gpu-1' }] }] },
      conditions: [{ type: 'OverCommitted' }],
    } as const;
    const finds = (query: string): boolean => rowFilter(query, reservationKeys).matches(structuredClone(reservation) as never);
    expect(
      ['1234', 'owner:abc', 'node:gpu', 'condition:overcommitted', 'phase:active', 'this.order == "akash1abc/1234/1/1"'].filter(
        (each) => !finds(each),
      ),
    ).toEqual([]);
    expect(['9999', 'phase:pending', 'node:"gpu"', 'this.phase == "pending"'].filter(finds)).toEqual([]);
  });
});
