import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largestReplicatedVolume, replicatedCapacity } from './replicated-capacity.ts';

/** Puts unit after unit on the nodes with the most room left, which is never worse than any other choice. */
function placedOneByOne(rooms: readonly number[], replicas: number): number {
  const left = [...rooms];
  for (let placed = 0; ; placed += 1) {
    left.sort((a, b) => b - a);
    if ((left[replicas - 1] ?? 0) < 1) return placed;
    for (let i = 0; i < replicas; i += 1) left[i] = (left[i] ?? 0) - 1;
  }
}

/** Tries every choice of nodes for every unit. */
function bestOfAll(rooms: readonly number[], replicas: number): number {
  let best = 0;
  for (const chosen of choices(rooms.length, replicas)) {
    if (chosen.some((i) => (rooms[i] ?? 0) < 1)) continue;
    best = Math.max(
      best,
      1 +
        bestOfAll(
          rooms.map((room, i) => (chosen.includes(i) ? room - 1 : room)),
          replicas,
        ),
    );
  }
  return best;
}

function choices(count: number, size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: Math.max(count - from, 0) }, (_, i) => from + i).flatMap((first) =>
    choices(count, size - 1, first + 1).map((rest) => [first, ...rest]),
  );
}

describe('what fits in replicas on different nodes', () => {
  it('is worked out by hand for nodes of different sizes', () => {
    expect(replicatedCapacity([100, 100, 100], 3)).toBe(100);
    expect(replicatedCapacity([100, 100, 10], 2)).toBe(105);
    expect(replicatedCapacity([1000, 100, 100], 2)).toBe(200);
    expect(replicatedCapacity([1000, 100, 100], 3)).toBe(100);
    expect(replicatedCapacity([1000, 100], 3)).toBe(0);
    expect(replicatedCapacity([70, 30], 1)).toBe(100);
    expect(replicatedCapacity([], 1)).toBe(0);
  });

  it('equals the best of all ways to place volumes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 4 }), fc.integer({ min: 1, max: 3 }), (rooms, replicas) => {
        expect(replicatedCapacity(rooms, replicas)).toBe(bestOfAll(rooms, replicas));
      }),
      { numRuns: 60 },
    );
  });

  it('equals placing unit after unit on larger nodes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), (rooms, replicas) => {
        expect(replicatedCapacity(rooms, replicas)).toBe(placedOneByOne(rooms, replicas));
      }),
    );
  });

  it('has a largest volume that needs one disk per replica', () => {
    expect(largestReplicatedVolume([50, 80, 20], 2)).toBe(50);
    expect(largestReplicatedVolume([50], 2)).toBe(0);
  });
});
