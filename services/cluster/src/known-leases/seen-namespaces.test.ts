import { FakeClock } from '@quartermaster/kernel';
import type { Namespace } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { shownObjects } from '../../test/shown-objects.ts';
import { leaseAnnotations, leaseLabels } from '../model/lease-labels.ts';
import { SeenNamespaces } from './seen-namespaces.ts';

const lease = { owner: 'amy', dseq: 7n, gseq: 1, oseq: 1, provider: 'farm' };
const labels = leaseLabels(lease);
const annotations = leaseAnnotations(lease);
const namespace = (name: string, metadata: Namespace['metadata'] = {}): Namespace => ({
  metadata: { name, uid: `uid-${name}`, ...metadata },
});

const seen = (namespaces: readonly Namespace[], stale: readonly string[] = []): SeenNamespaces =>
  new SeenNamespaces(shownObjects({ namespaces }, stale), new FakeClock());

describe('namespaces that are seen', () => {
  it.each([
    ['lease-amy-7-1-1', { labels, annotations }, lease],
    ['lease-amy-7-1-1', {}, undefined],
    ['lease-amy-7-1-1', { labels: { ...labels, 'akash.network/lease.id.dseq': '8' }, annotations }, 'tampered'],
    // It looks like one by its labels, whatever it is called.
    ['mine', { labels, annotations }, lease],
  ] as const)('are those that are a lease’s, or look like it: %s with %j', (name, metadata, expected) => {
    expect(seen([namespace(name, metadata)]).get(name)).toMatchObject({ live: { uid: `uid-${name}` }, lease: expected });
  });

  it('are none that have neither the name nor the labels of a lease', () => {
    const names = ['default', 'kube-system', 'release-7', 'lease', 'lease-amy-7-1-1'];
    const found = seen(names.map((name) => namespace(name)));
    expect(names.filter((name) => found.get(name) !== undefined)).toEqual(['lease-amy-7-1-1']);
    expect(found.all().map(({ live }) => live.name)).toEqual(['lease-amy-7-1-1']);
    expect(found.orderOf('lease-amy-7-1-1')).toBeUndefined();
  });

  it('are known while they are followed alone', () => {
    expect([seen([]).isKnown, seen([], ['namespaces']).isKnown]).toEqual([true, false]);
    expect(new SeenNamespaces(shownObjects({}), new FakeClock()).isKnown).toBe(false);
    expect([seen([]).stale(), seen([], ['namespaces']).stale()]).toEqual([[], ['namespaces']]);
  });
});
