import { seededRandom } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChurnStep, churnSteps } from './churn.ts';

const stepsOf = (seed: number, workloads: number, count: number): ChurnStep[] => {
  const settings = { everyMs: 1000, workloads, replicas: 3, gpuShare: 0.5 };
  const steps: ChurnStep[] = [];
  for (const step of churnSteps(settings, ['tenant-1', 'tenant-2'], seededRandom(seed))) {
    if (steps.push(step) === count) break;
  }
  return steps;
};

describe('churnSteps', () => {
  it('repeats itself for the same seed', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(stepsOf(seed, 5, 50)).toEqual(stepsOf(seed, 5, 50));
      }),
    );
  });

  it('changes only workloads that exist, and keeps about as many as it should', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 20 }), (seed, workloads) => {
        const alive = new Set<string>();
        let most = 0;
        for (const { action, afterMs } of stepsOf(seed, workloads, 300)) {
          const key = `${action.namespace}/${action.name}`;
          expect(afterMs).toBeGreaterThanOrEqual(0);
          if (action.kind === 'create') expect(alive.has(key)).toBe(false);
          else expect(alive.has(key)).toBe(true);
          if (action.kind === 'create') alive.add(key);
          if (action.kind === 'delete') alive.delete(key);
          most = Math.max(most, alive.size);
          expect(alive.size).toBeLessThanOrEqual(Math.ceil(workloads * 1.4) + 1);
        }
        expect(most).toBeGreaterThanOrEqual(Math.ceil(workloads / 2));
      }),
    );
  });
});
