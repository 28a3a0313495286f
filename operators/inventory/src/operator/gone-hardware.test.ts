import type { Removable } from '@quartermaster/runtime/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoneHardware } from './gone-hardware.ts';

const keepMs = 1_000;
const objects = (count: number): Removable[] => Array.from({ length: count }, (_, index) => ({ name: `n${index}`, uid: `uid-n${index}` }));
const nobody = (): boolean => false;

describe('GoneHardware', () => {
  it('finds due what was absent at every look for as long as it is kept', () => {
    const gone = new GoneHardware(keepMs);
    const [n0] = objects(1);
    const hasNode = (name: string): boolean => name === 'n1';
    expect(gone.look(objects(2), hasNode, 0)).toEqual({ due: [], pending: [n0], total: 2 });
    expect(gone.look(objects(2), hasNode, keepMs - 1)).toEqual({ due: [], pending: [n0], total: 2 });
    expect(gone.look(objects(2), hasNode, keepMs)).toEqual({ due: [n0], pending: [], total: 2 });
  });

  it('begins anew when the node was there in between, when its object is another one, and when the nodes could not be seen', () => {
    const gone = new GoneHardware(keepMs);
    const another = [{ name: 'n0', uid: 'another' }];
    gone.look(objects(1), nobody, 0);
    gone.look(objects(1), () => true, 500);
    expect(gone.look(objects(1), nobody, keepMs).due).toEqual([]);
    expect(gone.look(another, nobody, 2 * keepMs).due).toEqual([]);
    gone.lookFailed();
    expect(gone.look(another, nobody, 3 * keepMs)).toEqual({ due: [], pending: another, total: 1 });
    expect(gone.look(another, nobody, 4 * keepMs).due).toEqual(another);
  });

  it('never finds due the facts of a node that exists, or that was there within the time', () => {
    const step = fc.record({ present: fc.uniqueArray(fc.nat(9)), afterMs: fc.nat(1_500), isSeen: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const gone = new GoneHardware(keepMs);
        const lastSeen = new Map(objects(10).map(({ name }) => [name, 0])); // name -> when its node was last there, or could not be looked for
        let now = 0;
        for (const { present, afterMs, isSeen } of steps) {
          now += afterMs;
          const there = new Set(present.map((index) => `n${index}`));
          if (!isSeen) gone.lookFailed();
          for (const name of lastSeen.keys()) if (!isSeen || there.has(name)) lastSeen.set(name, now);
          if (!isSeen) continue;
          const { due, pending } = gone.look(objects(10), (name) => there.has(name), now);
          expect(due.length + pending.length).toBe(10 - there.size);
          for (const { name } of due) expect(now - (lastSeen.get(name) ?? now)).toBeGreaterThanOrEqual(keepMs);
        }
      }),
    );
  });
});
