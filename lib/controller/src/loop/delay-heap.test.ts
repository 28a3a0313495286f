import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DelayHeap } from './delay-heap.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('delete' as const), key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }),
  fc.record({ kind: fc.constant('take' as const), at: fc.nat(20) }),
);

describe('DelayHeap', () => {
  it('agrees with a sorted list about every key and every time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new DelayHeap();
        const model: { key: string; at: number }[] = [];
        for (const s of steps) {
          if (s.kind === 'add') {
            const known = model.findIndex((m) => m.key === s.key);
            const earlier = known < 0 || s.at < (model[known]?.at ?? 0);
            if (earlier && known >= 0) model.splice(known, 1);
            // A stable sort keeps equal times in the order of arrival.
            if (earlier) model.push({ key: s.key, at: s.at });
            model.sort((a, b) => a.at - b.at);
            heap.add(s.key, s.at);
          } else if (s.kind === 'delete') {
            const known = model.findIndex((m) => m.key === s.key);
            if (known >= 0) model.splice(known, 1);
            heap.delete(s.key);
          } else {
            const expected = (model[0]?.at ?? Number.POSITIVE_INFINITY) <= s.at ? model.shift()?.key : undefined;
            expect(heap.takeDue(s.at)).toBe(expected);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.nextDueAt).toBe(model[0]?.at);
        }
      }),
    );
  });

  it('forgets everything when cleared', () => {
    const heap = new DelayHeap();
    heap.add('a', 1);
    heap.clear();
    expect(heap.size).toBe(0);
    expect(heap.takeDue(5)).toBeUndefined();
  });
});
