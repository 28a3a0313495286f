import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoneHardware, type HardwareObject } from './gone-hardware.ts';

const keepMs = 1_000;
const objects = (count: number, prefix = 'n'): HardwareObject[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, uid: `uid-${prefix}${index}` }));
const names = (list: readonly HardwareObject[]): string[] => list.map(({ name }) => name);

describe('GoneHardware', () => {
  it('removes what was absent at every look for as long as it is kept', () => {
    const gone = new GoneHardware({ keepMs });
    const [n0, n1] = objects(2);
    const all = [n0, n1].filter((each) => each !== undefined);
    const hasNode = (name: string): boolean => name === 'n1';
    expect(gone.look(all, hasNode, 0)).toEqual({ remove: [], held: 0 });
    expect(gone.look(all, hasNode, keepMs - 1).remove).toEqual([]);
    expect(names(gone.look(all, hasNode, keepMs).remove)).toEqual(['n0']);
  });

  it('begins anew when the node was there in between, when its object is another one, and when the nodes could not be seen', () => {
    const gone = new GoneHardware({ keepMs });
    const nobody = (): boolean => false;
    gone.look(objects(1), nobody, 0);
    gone.look(objects(1), () => true, 500);
    expect(gone.look(objects(1), nobody, keepMs).remove).toEqual([]);
    expect(gone.look([{ name: 'n0', uid: 'another' }], nobody, 2 * keepMs).remove).toEqual([]);
    gone.lookFailed();
    expect(gone.look([{ name: 'n0', uid: 'another' }], nobody, 3 * keepMs).remove).toEqual([]);
    expect(names(gone.look([{ name: 'n0', uid: 'another' }], nobody, 4 * keepMs).remove)).toEqual(['n0']);
  });

  it('holds all of them when they are too many, also when they come one after another', () => {
    const gone = new GoneHardware({ keepMs, maxRemovals: 2, maxShare: 0.1 });
    const nobody = (): boolean => false;
    gone.look(objects(3), nobody, 0);
    expect(gone.look(objects(3), nobody, keepMs)).toEqual({ remove: [], held: 3 });
    const two = objects(2);
    expect(names(gone.look(two, nobody, keepMs).remove)).toEqual(['n0', 'n1']);
    for (const each of two) gone.removed(each, keepMs);
    gone.look(objects(1, 'm'), nobody, keepMs);
    expect(gone.look(objects(1, 'm'), nobody, 2 * keepMs - 1)).toEqual({ remove: [], held: 0 });
    expect(names(gone.look(objects(1, 'm'), nobody, 2 * keepMs).remove)).toEqual(['m0']);
  });

  it('lets a large cluster lose a share of its nodes', () => {
    const gone = new GoneHardware({ keepMs });
    const hasNode = (name: string): boolean => Number(name.slice(1)) >= 100;
    gone.look(objects(1_000), hasNode, 0);
    expect(gone.look(objects(1_000), hasNode, keepMs).remove).toHaveLength(100);
    const hasFewer = (name: string): boolean => Number(name.slice(1)) >= 101;
    gone.look(objects(1_000), hasFewer, keepMs);
    expect(gone.look(objects(1_000), hasFewer, 2 * keepMs)).toEqual({ remove: [], held: 101 });
  });

  it('never removes facts of a node that exists, nor more than is allowed within the time', () => {
    const step = fc.record({ present: fc.uniqueArray(fc.nat(9)), afterMs: fc.nat(1_500), isSeen: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const gone = new GoneHardware({ keepMs, maxRemovals: 3, maxShare: 0 });
        const left = new Map(objects(10).map((each) => [each.uid, each]));
        const removals: number[] = [];
        const lastSeen = new Map<string, number>(); // name -> when its node was last there, or could not be looked for
        let now = 0;
        for (const each of objects(10)) lastSeen.set(each.name, 0);
        for (const { present, afterMs, isSeen } of steps) {
          now += afterMs;
          const there = new Set(present.map((index) => `n${index}`));
          if (!isSeen) gone.lookFailed();
          for (const name of lastSeen.keys()) if (!isSeen || there.has(name)) lastSeen.set(name, now);
          if (!isSeen) continue;
          for (const each of gone.look(left.values(), (name) => there.has(name), now).remove) {
            expect(now - (lastSeen.get(each.name) ?? now)).toBeGreaterThanOrEqual(keepMs);
            left.delete(each.uid);
            gone.removed(each, now);
            removals.push(now);
          }
          const windowStart = now - keepMs;
          expect(removals.filter((at) => at > windowStart).length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
