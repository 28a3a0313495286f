import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseVolume } from '../model/snapshot.ts';
import type { ObservedNamespace } from '../observe/observe-namespace.ts';
import { LeaseVolumes } from './lease-volumes.ts';
import { type ClaimFacts, type VolumeFacts, type VolumeGroup, VolumeLedger } from './querier/volume-ledger.ts';

/** Class -> what its reading counts: volumes on nodes of this list, or anywhere; nothing while it has no figures. */
type Reading = readonly string[] | 'anywhere' | 'no figures';
interface Claim extends ClaimFacts {
  readonly namespace: string;
  readonly isOfLease: boolean;
}

const volume = (facts: Partial<VolumeFacts> = {}): VolumeFacts => ({ class: 'fast', bytes: 10, driver: 'd', attributes: {}, ...facts });
const claim = (facts: Partial<Claim> = {}): Claim => ({
  class: 'fast',
  bytes: 10,
  volumeName: '',
  deleting: false,
  namespace: 'lease',
  isOfLease: false,
  ...facts,
});
const lease: ObservedNamespace = { uid: 'uid-of-lease', isOfLease: true };

/** Volumes and claims as the storage watch takes them, and what a feed makes of their records. */
class Watched {
  readonly ledger = new VolumeLedger((uid) => this.volumes.touch(uid));
  readonly volumes = new LeaseVolumes((uid) => this.ledger.promiseOf(uid));
  readonly published = new Map<string, LeaseVolume>();

  putClaim(uid: string, facts: Claim): void {
    this.ledger.putClaim(uid, facts);
    this.volumes.setClaim(uid, { ...facts, name: `name-of-${uid}` });
  }

  removeClaim(uid: string): void {
    this.ledger.removeClaim(uid);
    this.volumes.removeClaim(uid);
  }

  /** Returns the uids that were told. */
  publish(readings: Readonly<Record<string, Reading>>): readonly string[] {
    const places = (name: string, reading: Reading) =>
      new Map(Array.from(this.ledger.groupsOf(name), (group) => [group.place, nodeIn(reading, group)]));
    this.volumes.setCounted(new Map(Object.entries(readings).map(([name, reading]) => [name, places(name, reading)])));
    const changed = this.volumes.take();
    for (const uid of changed) {
      const record = this.volumes.get(uid);
      if (record === undefined) this.published.delete(uid);
      else this.published.set(uid, record);
    }
    return changed;
  }
}

function nodeIn(reading: Reading, { node = '' }: Pick<VolumeGroup, 'node'>): string | undefined {
  if (reading === 'no figures') return undefined;
  if (reading === 'anywhere') return '';
  return reading.includes(node) ? node : undefined;
}

describe('volumes of leases', () => {
  it('have what their class counts of them, in the namespace that they are in', () => {
    const watched = new Watched();
    watched.volumes.setNamespace('lease', lease);
    watched.putClaim('a', claim({ bytes: 12 }));
    expect(watched.publish({ fast: 'anywhere' })).toEqual(['a']);
    const record = { uid: 'a', namespace: 'lease', namespaceUid: 'uid-of-lease', name: 'name-of-a', class: 'fast', node: '' };
    expect(watched.published.get('a')).toEqual({ ...record, bytes: 12, requestedBytes: 12 });
    watched.ledger.putVolume('v', volume({ claimUid: 'a', bytes: 16 }));
    expect(watched.publish({ fast: 'anywhere' })).toEqual(['a']);
    expect(watched.published.get('a')).toEqual({ ...record, bytes: 16, requestedBytes: 12 });
    expect(watched.publish({ fast: 'anywhere' })).toEqual([]);
    // The class still counts the volume, which is nobody's now.
    watched.removeClaim('a');
    expect(watched.publish({ fast: 'anywhere' })).toEqual(['a']);
    expect(watched.published.size).toBe(0);
  });

  it('are of a namespace with labels of a lease, or have some themselves', () => {
    const watched = new Watched();
    watched.putClaim('a', claim());
    watched.putClaim('b', claim({ isOfLease: true }));
    watched.putClaim('c', claim({ namespace: 'other' }));
    watched.publish({ fast: 'anywhere' });
    expect([...watched.published.values()]).toMatchObject([{ uid: 'b', namespaceUid: undefined }]);
    watched.volumes.setNamespace('other', { uid: 'o', isOfLease: false });
    expect(watched.publish({ fast: 'anywhere' })).toEqual([]);
    watched.volumes.setNamespace('lease', lease);
    expect(watched.publish({ fast: 'anywhere' }).toSorted()).toEqual(['a', 'b']);
    expect(watched.published.get('b')).toMatchObject({ namespaceUid: 'uid-of-lease' });
    watched.volumes.setNamespace('lease', { ...lease, isOfLease: false });
    watched.publish({ fast: 'anywhere' });
    expect([...watched.published.keys()]).toEqual(['b']);
    watched.volumes.setNamespace('lease', undefined);
    watched.publish({ fast: 'anywhere' });
    expect(watched.published.get('b')).toMatchObject({ namespaceUid: undefined });
  });

  it('are not there while their class has no figures, does not know their node, or is gone', () => {
    const watched = new Watched();
    watched.volumes.setNamespace('lease', lease);
    watched.putClaim('a', claim());
    const nodesOf = (readings: Readonly<Record<string, Reading>>) => {
      watched.publish(readings);
      return [...watched.published.values()].map(({ node }) => node);
    };
    expect(nodesOf({ fast: ['n1'] })).toEqual([]);
    watched.putClaim('a', claim({ node: 'n1' }));
    expect(nodesOf({ fast: ['n1'] })).toEqual(['n1']);
    expect(nodesOf({ fast: ['n2'] })).toEqual([]);
    expect(nodesOf({ fast: ['n1', 'n2'] })).toEqual(['n1']);
    expect(nodesOf({ fast: 'no figures' })).toEqual([]);
    expect(nodesOf({ fast: 'anywhere' })).toEqual(['']);
    expect(nodesOf({})).toEqual([]);
    expect(nodesOf({ fast: 'anywhere' })).toEqual(['']);
  });

  it('are, after any events, what their class has allocated without what others have', () => {
    const bytes = fc.nat(100);
    const className = fc.constantFrom('local', 'local', 'wide', 'wide', 'unknown', '');
    const index = fc.nat(4);
    const node = fc.constantFrom(undefined, 'n1', 'n1', 'n2');
    const event = fc.oneof(
      fc.record({
        kind: fc.constant('volume' as const),
        index,
        bytes,
        className,
        node,
        owner: fc.constantFrom('none', 'own', 'gone'),
      }),
      fc.record({
        kind: fc.constant('claim' as const),
        index,
        bytes,
        className,
        node,
        bound: fc.boolean(),
        deleting: fc.boolean(),
        isOfLease: fc.boolean(),
      }),
      fc.record({ kind: fc.constantFrom('no volume' as const, 'no claim' as const), index }),
      fc.record({ kind: fc.constant('namespace' as const), index: fc.nat(1), isOfLease: fc.boolean() }),
      fc.record({ kind: fc.constant('no namespace' as const), index: fc.nat(1) }),
      fc.record({ kind: fc.constant('reading' as const), local: fc.subarray(['n1', 'n2']), wide: fc.boolean(), hasWide: fc.boolean() }),
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('publish' as const) }) },
    );
    let seen = 0;
    fc.assert(
      fc.property(fc.array(event, { minLength: 40, maxLength: 80 }), (events) => {
        const watched = new Watched();
        const volumes = new Map<string, VolumeFacts>();
        const claims = new Map<string, Claim>();
        const namespaces = new Map<string, ObservedNamespace>();
        let readings: Record<string, Reading> = { local: ['n1'], wide: 'anywhere' };
        for (const each of [...events, { kind: 'publish' } as const]) {
          if (each.kind === 'volume') {
            const claimUid = { none: undefined, own: `u${each.index}`, gone: 'gone' }[each.owner];
            const facts = volume({ class: each.className, bytes: each.bytes, node: each.node, claimUid });
            volumes.set(`v${each.index}`, facts);
            watched.ledger.putVolume(`v${each.index}`, facts);
          } else if (each.kind === 'claim') {
            const { index: of, className: name, bound, bytes: asked, node: selected, deleting, isOfLease } = each;
            const facts = claim({ class: name, bytes: asked, node: selected, deleting, isOfLease, namespace: `lease-${of % 2}` });
            const named = { ...facts, volumeName: bound ? `v${of}` : '' };
            claims.set(`u${of}`, named);
            watched.putClaim(`u${of}`, named);
          } else if (each.kind === 'no volume') {
            volumes.delete(`v${each.index}`);
            watched.ledger.removeVolume(`v${each.index}`);
          } else if (each.kind === 'no claim') {
            claims.delete(`u${each.index}`);
            watched.removeClaim(`u${each.index}`);
          } else if (each.kind === 'namespace' || each.kind === 'no namespace') {
            const name = `lease-${each.index}`;
            const namespace = each.kind === 'namespace' ? { uid: `uid-of-${name}`, isOfLease: each.isOfLease } : undefined;
            if (namespace === undefined) namespaces.delete(name);
            else namespaces.set(name, namespace);
            watched.volumes.setNamespace(name, namespace);
          } else if (each.kind === 'reading') {
            readings = { local: each.local, ...(each.hasWide ? { wide: each.wide ? 'anywhere' : 'no figures' } : {}) };
          } else {
            watched.publish(readings);
            seen += watched.published.size;
            const isOfLease = ({ isOfLease: own, namespace }: Claim) => own || namespaces.get(namespace)?.isOfLease === true;
            for (const [name, reading] of Object.entries(readings)) {
              const all = counted(volumes, claims, name, reading);
              const ofLeases = all.filter(({ uid = '' }) => [claims.get(uid)].some((of) => of !== undefined && isOfLease(of)));
              const records = [...watched.published.values()].filter((record) => record.class === name);
              expect(records.map(({ uid, bytes: of, node: on }) => ({ uid, bytes: of, node: on })).toSorted(byUid)).toEqual(
                ofLeases.toSorted(byUid),
              );
              const groups = [...watched.ledger.groupsOf(name)].filter((group) => nodeIn(reading, group) !== undefined);
              expect(sum(groups) - sum(records)).toBe(sum(all.filter((one) => !ofLeases.includes(one))));
            }
            for (const { uid, class: name, namespace, namespaceUid, bytes: all, requestedBytes } of watched.published.values()) {
              expect([requestedBytes, requestedBytes <= all]).toEqual([claims.get(uid)?.bytes, true]);
              expect([Object.hasOwn(readings, name), namespaceUid]).toEqual([true, namespaces.get(namespace)?.uid]);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(seen).toBeGreaterThan(500);
  });
});

interface CountedOne {
  /** Of the claim that it is for. */
  readonly uid: string | undefined;
  readonly bytes: number;
  readonly node: string;
}

const sum = (all: readonly { readonly bytes: number }[]): number => all.reduce((total, { bytes }) => total + bytes, 0);
const byUid = (a: { readonly uid?: string | undefined }, b: { readonly uid?: string | undefined }): number =>
  (a.uid ?? '') < (b.uid ?? '') ? -1 : 1;

/** All that a class counts, by the rules alone. */
function counted(
  volumes: ReadonlyMap<string, VolumeFacts>,
  claims: ReadonlyMap<string, Claim>,
  className: string,
  reading: Reading,
): CountedOne[] {
  const found: CountedOne[] = [];
  const add = (uid: string | undefined, of: { readonly class: string; readonly node?: string | undefined }, bytes: number): void => {
    const node = of.class === className ? nodeIn(reading, of) : undefined;
    if (node !== undefined) found.push({ uid, bytes, node });
  };
  for (const [name, facts] of volumes) {
    const uid = facts.claimUid ?? [...claims].find(([, { volumeName }]) => volumeName === name)?.[0];
    add(uid, facts, Math.max(facts.bytes, claims.get(uid ?? '')?.bytes ?? 0));
  }
  for (const [uid, facts] of claims) {
    const hasVolume = volumes.has(facts.volumeName) || [...volumes.values()].some(({ claimUid }) => claimUid === uid);
    if (facts.class !== '' && !hasVolume && !(facts.deleting && facts.volumeName === '')) add(uid, facts, facts.bytes);
  }
  return found;
}
