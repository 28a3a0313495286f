import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planMigrations } from './migration-plan.ts';

const file = (name: string, isBreaking = false) => ({ name, isBreaking });

describe('planMigrations', () => {
  it('runs what is missing, in order', () => {
    const plan = planMigrations([file('0001_a'), file('0002_b'), file('0003_c')], [file('0001_a')]);
    expect(plan).toEqual({ pending: ['0002_b', '0003_c'], newer: [] });
  });

  it('accepts a database that a newer release migrated', () => {
    expect(planMigrations([file('0001_a')], [file('0001_a'), file('0002_b')])).toEqual({ pending: [], newer: ['0002_b'] });
  });

  it('refuses one that a newer release migrated in a way that breaks this one', () => {
    expect(() => planMigrations([file('0001_a')], [file('0001_a'), file('0002_b', true)])).toThrow(/newer release \("0002_b"\)/);
  });

  it('does not mind breaking migrations that it knows itself', () => {
    expect(planMigrations([file('0001_a', true)], [file('0001_a', true)])).toEqual({ pending: [], newer: [] });
  });

  it.each([
    [['0001_a', '0002_b'], ['0002_b']],
    [
      ['0001_a', '0002_b'],
      ['0001_a', '0003_c'],
    ],
  ])('refuses a mixture: has %j, was run %j', (files, applied) => {
    expect(() =>
      planMigrations(
        files.map((name) => file(name)),
        applied.map((name) => file(name)),
      ),
    ).toThrow(/was never run/);
  });

  it('brings a release forward from every earlier one, and leaves every earlier one working', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (mine, theirs) => {
        const all = Array.from({ length: 20 }, (_, index) => file(`${String(index + 1).padStart(4, '0')}_m`));
        const { pending, newer } = planMigrations(all.slice(0, mine), all.slice(0, theirs));
        expect(pending).toHaveLength(Math.max(0, mine - theirs));
        expect(newer).toHaveLength(Math.max(0, theirs - mine));
      }),
    );
  });
});
