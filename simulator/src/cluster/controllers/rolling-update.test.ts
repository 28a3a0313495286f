import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, type Generation, planRollout } from './rolling-update.ts';

const limit = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);

describe('planRollout', () => {
  it('ends with all replicas in the current generation, within its limits at every step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 4 }),
        limit,
        limit,
        fc.infiniteStream(fc.boolean()),
        (replicas, old, maxSurge, maxUnavailable, luck) => {
          const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
          let current: Generation = { name: 'current', replicas: 0, available: 0 };
          let others: readonly Generation[] = old.map((count, index) => ({ name: `old-${index}`, replicas: count, available: count }));
          const surge = amount(maxSurge, replicas, Math.ceil);
          const total = (): number => [current, ...others].reduce((sum, generation) => sum + generation.replicas, 0);
          const ceiling = Math.max(replicas + surge, total());
          let steps = 0;
          for (; steps < 500; steps += 1) {
            const scales = planRollout(replicas, strategy, current, others);
            const next = (generation: Generation): Generation => {
              const wanted = scales.get(generation.name) ?? generation.replicas;
              return { ...generation, replicas: wanted, available: Math.min(generation.available, wanted) };
            };
            current = next(current);
            others = others.map(next);
            expect(total()).toBeLessThanOrEqual(ceiling);
            const isDone =
              current.available === replicas && current.replicas === replicas && others.every((generation) => generation.replicas === 0);
            if (isDone && scales.size === 0) break;
            // Any one pod of the current generation may become ready in a step, and sooner or later does.
            if (current.available < current.replicas && (luck.next().value || steps % 3 === 0))
              current = { ...current, available: current.available + 1 };
          }
          expect(steps).toBeLessThan(500);
        },
      ),
    );
  });

  it('never takes away more available pods than may be missing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 5 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })), { minLength: 1, maxLength: 4 }),
        (replicas, missing, counts) => {
          const [current, ...others] = counts.map(([count, ready], index) => ({
            name: `g${index}`,
            replicas: count,
            available: Math.min(count, ready),
          }));
          if (current === undefined) return;
          const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: missing } };
          const scales = planRollout(replicas, strategy, current, others);
          const before = counts.reduce((sum, [count, ready]) => sum + Math.min(count, ready), 0);
          const after = others.reduce(
            (sum, { name, available }) => sum + Math.min(available, scales.get(name) ?? available),
            current.available,
          );
          expect(after).toBeGreaterThanOrEqual(Math.min(before, replicas - missing));
        },
      ),
    );
  });

  it('ends everything old before it begins with something new where the strategy is Recreate', () => {
    const current = { name: 'current', replicas: 0, available: 0 };
    const old = { name: 'old', replicas: 3, available: 3 };
    expect([...planRollout(3, { type: 'Recreate' }, current, [old])]).toEqual([['old', 0]]);
    expect([...planRollout(3, { type: 'Recreate' }, current, [{ ...old, replicas: 0, available: 0 }])]).toEqual([['current', 3]]);
  });
});
