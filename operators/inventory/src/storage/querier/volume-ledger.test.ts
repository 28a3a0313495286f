import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaimFacts, type VolumeFacts, VolumeLedger } from './volume-ledger.ts';

const volume = (facts: Partial<VolumeFacts> = {}): VolumeFacts => ({ class: 'fast', bytes: 10, driver: 'd', attributes: {}, ...facts });
const claim = (facts: Partial<ClaimFacts> = {}): ClaimFacts => ({ class: 'fast', bytes: 10, volumeName: '', deleting: false, ...facts });

describe('the ledger of promised volumes', () => {
  it('counts a claim until its volume is there, and then the volume', () => {
    const ledger = new VolumeLedger();
    ledger.putClaim('u1', claim());
    expect(ledger.ofClass('fast')).toEqual({ bytes: 10, volumes: 1 });
    ledger.putVolume('v1', volume({ claimUid: 'u1' }));
    expect(ledger.ofClass('fast')).toEqual({ bytes: 10, volumes: 1 });
    ledger.putClaim('u1', claim({ volumeName: 'v1' }));
    expect(ledger.ofClass('fast')).toEqual({ bytes: 10, volumes: 1 });
    ledger.removeClaim('u1');
    expect(ledger.ofClass('fast')).toEqual({ bytes: 10, volumes: 1 });
    ledger.removeVolume('v1');
    expect(ledger.ofClass('fast')).toEqual({ bytes: 0, volumes: 0 });
  });

  it('counts a volume that is being grown by what its claim asks for', () => {
    const ledger = new VolumeLedger();
    ledger.putVolume('v1', volume({ claimUid: 'u1' }));
    ledger.putClaim('u1', claim({ volumeName: 'v1', bytes: 25 }));
    expect(ledger.ofClass('fast').bytes).toBe(25);
    ledger.putVolume('v1', volume({ claimUid: 'u1', bytes: 25 }));
    expect(ledger.ofClass('fast').bytes).toBe(25);
  });

  it('does not count a claim that is deleted before it got a volume', () => {
    const ledger = new VolumeLedger();
    ledger.putClaim('u1', claim({ deleting: true }));
    expect(ledger.ofClass('fast').bytes).toBe(0);
  });

  it('groups volumes by where they lie and not by what is their own', () => {
    const ledger = new VolumeLedger();
    const attributes = { clusterID: 'c', pool: 'p' };
    ledger.putVolume('v1', volume({ attributes: { ...attributes, imageName: 'i1' } }));
    ledger.putVolume('v2', volume({ attributes: { ...attributes, imageName: 'i2' } }));
    ledger.putVolume('v3', volume({ node: 'n1' }));
    expect([...ledger.groupsOf('fast')]).toMatchObject([
      { class: 'fast', driver: 'd', attributes, bytes: 20, volumes: 2 },
      { class: 'fast', driver: 'd', attributes: {}, node: 'n1', bytes: 10, volumes: 1 },
    ]);
  });

  it('tells what volumes were made since a time, each as it counts', () => {
    const ledger = new VolumeLedger();
    ledger.putVolume('old', volume({ createdAt: 1000 }));
    ledger.putVolume('of no time', volume());
    ledger.putVolume('v1', volume({ createdAt: 1001, claimUid: 'u1' }));
    ledger.putVolume('v2', volume({ createdAt: 2000, bytes: 5 }));
    ledger.putVolume('elsewhere', volume({ createdAt: 2000, node: 'n1', bytes: 7 }));
    ledger.putVolume('of another class', volume({ createdAt: 2000, class: 'slow' }));
    ledger.putClaim('u1', claim({ bytes: 12, volumeName: 'v1' }));
    const [any, onNode] = [...ledger.groupsOf('fast')];
    expect(ledger.madeSince('fast', 1000)).toEqual(
      new Map([
        [any?.place, 17],
        [onNode?.place, 7],
      ]),
    );
    expect(ledger.madeSince('fast', 2000)).toEqual(new Map());
  });

  it('tells what counts for a claim: its volume, or itself while there is none', () => {
    const changed: string[] = [];
    const ledger = new VolumeLedger((uid) => changed.push(uid));
    const placeOf = (node?: string) => [...ledger.groupsOf('fast')].find((group) => group.node === node)?.place;
    ledger.putClaim('u1', claim({ bytes: 12 }));
    expect(ledger.promiseOf('u1')).toEqual({ class: 'fast', place: placeOf(), bytes: 12, requestedBytes: 12 });
    ledger.putVolume('v1', volume({ claimUid: 'u1', node: 'n1', bytes: 16 }));
    expect(ledger.promiseOf('u1')).toEqual({ class: 'fast', place: placeOf('n1'), bytes: 16, requestedBytes: 12 });
    ledger.putClaim('u1', claim({ bytes: 20, volumeName: 'v1' }));
    expect(ledger.promiseOf('u1')).toMatchObject({ bytes: 20, requestedBytes: 20 });
    expect(changed.splice(0)).toEqual(['u1', 'u1', 'u1']);
    // It names a volume that is another's: nothing counts for it.
    ledger.putClaim('u2', claim({ volumeName: 'v1' }));
    expect(ledger.promiseOf('u2')).toBeUndefined();
    expect(ledger.promiseOf('u1')).toMatchObject({ bytes: 20 });
    ledger.putClaim('u3', claim({ deleting: true }));
    expect(ledger.promiseOf('u3')).toBeUndefined();
    ledger.removeClaim('u1');
    expect(ledger.promiseOf('u1')).toBeUndefined();
    expect(ledger.ofClass('fast').bytes).toBe(16);
  });

  it('tells of a claim whose volume another one names now', () => {
    const changed = new Set<string>();
    const ledger = new VolumeLedger((uid) => changed.add(uid));
    ledger.putVolume('v1', volume());
    ledger.putClaim('u1', claim({ volumeName: 'v1' }));
    expect(ledger.promiseOf('u1')).toMatchObject({ bytes: 10 });
    changed.clear();
    ledger.putClaim('u2', claim({ volumeName: 'v1' }));
    expect([ledger.promiseOf('u1'), ledger.promiseOf('u2')]).toMatchObject([undefined, { bytes: 10 }]);
    expect([...changed].toSorted()).toEqual(['u1', 'u2']);
  });

  it('counts at most 2^53-1 bytes, and loses none of the others by that', () => {
    const ledger = new VolumeLedger();
    ledger.putVolume('small', volume());
    for (const name of ['v1', 'v2']) ledger.putVolume(name, volume({ bytes: Number.MAX_SAFE_INTEGER }));
    ledger.putVolume('elsewhere', volume({ node: 'n1', bytes: Number.MAX_SAFE_INTEGER }));
    expect(ledger.ofClass('fast')).toEqual({ bytes: Number.MAX_SAFE_INTEGER, volumes: 4 });
    for (const name of ['v1', 'v2', 'elsewhere']) ledger.removeVolume(name);
    expect(ledger.ofClass('fast')).toEqual({ bytes: 10, volumes: 1 });
  });

  it('ends with the same sums whatever the order and the repetitions of the changes', () => {
    const step = fc.record({
      of: fc.constantFrom('volume', 'claim', 'no-volume', 'no-claim'),
      index: fc.nat(4),
      bytes: fc.nat(100),
      class: fc.constantFrom('fast', 'slow'),
      bound: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ledger = new VolumeLedger();
        const volumes = new Map<string, VolumeFacts>();
        const claims = new Map<string, ClaimFacts>();
        for (const { of, index, bytes, class: className, bound } of steps) {
          const [name, uid] = [`v${index}`, `u${index}`];
          if (of === 'volume') {
            const facts = volume({ bytes, class: className, claimUid: bound ? uid : undefined });
            volumes.set(name, facts);
            ledger.putVolume(name, facts);
          } else if (of === 'claim') {
            const facts = claim({ bytes, class: className, volumeName: bound ? name : '' });
            claims.set(uid, facts);
            ledger.putClaim(uid, facts);
          } else if (of === 'no-volume') {
            volumes.delete(name);
            ledger.removeVolume(name);
          } else {
            claims.delete(uid);
            ledger.removeClaim(uid);
          }
        }
        for (const className of ['fast', 'slow']) {
          expect(ledger.ofClass(className)).toEqual(recomputed(volumes, claims, className));
        }
      }),
    );
  });
});

function recomputed(volumes: ReadonlyMap<string, VolumeFacts>, claims: ReadonlyMap<string, ClaimFacts>, className: string): object {
  const counted: number[] = [];
  for (const [name, facts] of volumes) {
    const naming = [...claims.values()].find(({ volumeName }) => volumeName === name);
    const own = facts.claimUid === undefined ? naming : claims.get(facts.claimUid);
    if (facts.class === className) counted.push(Math.max(facts.bytes, own?.bytes ?? 0));
  }
  for (const [uid, facts] of claims) {
    const hasVolume = volumes.has(facts.volumeName) || [...volumes.values()].some(({ claimUid }) => claimUid === uid);
    if (facts.class === className && !hasVolume) counted.push(facts.bytes);
  }
  return { bytes: counted.reduce((sum, bytes) => sum + bytes, 0), volumes: counted.length };
}
