import { describe, expect, it } from 'vitest';
import { planOn } from '../../test/filled-book.ts';
import { namespaceSeal } from '../../test/namespace-seal.ts';
import { groupOf, leasePodOf, leaseRecord, leaseServiceOf, workloadOf } from '../../test/seen-lease.ts';
import type { BidDecision } from '../bids/bid-decision.ts';
import { nodeTerms } from '../book/node-terms.ts';
import type { SeenLeasePod, SeenWorkload } from '../health/lease-health.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { SeenNamespace } from '../known-leases/seen-namespaces.ts';
import type { MarketLease } from '../market/market.ts';
import type { CountedFrom } from './lease-transitions.ts';
import { type LeaseViewOptions, leaseView } from './lease-view.ts';

const at = 100_000;
const group = groupOf(leaseServiceOf('web', { count: 2 }));
const both = [leasePodOf('web-0'), leasePodOf('web-1')];
/** One of two is being replaced. */
const rolling = { pods: [leasePodOf('web-0'), leasePodOf('web-1', { isReady: false })], workloads: [workloadOf('web', 1)] };

interface Seen {
  readonly pods?: readonly SeenLeasePod[];
  readonly workloads?: readonly SeenWorkload[];
  /** The node on which a replica is planned, and where nothing starts now. */
  readonly heldBack?: string;
  /** Unknown on a replica that does not lead. */
  readonly countedFrom?: CountedFrom | undefined;
  readonly decision?: Pick<BidDecision, 'phase' | 'reasons'>;
  /** What the leader reads of it. */
  readonly market?: { readonly lease?: Pick<MarketLease, 'state'> };
}

function sightOf(changed: Partial<LeaseRecord>, seen: Seen = {}) {
  const { pods = both, workloads = [workloadOf('web', 2)], heldBack } = seen;
  const countedFrom = 'countedFrom' in seen ? seen.countedFrom : { market: 0, cluster: 0 };
  const record = leaseRecord('amy', 1n, { namespaceUid: 'ns', manifestHash: 'cafe', ...changed });
  const none = (): readonly never[] => [];
  const options = {
    records: { of: () => record, all: () => [record], problem: () => undefined },
    manifests: { shown: () => ({ group, hash: 'cafe' }), stale: none },
    caches: { podsIn: () => pods, workloadsIn: () => workloads, claimsIn: none, portsIn: none, stale: none },
    namespaces: { get: () => ({ live: { uid: 'ns' } }), all: none, stale: none },
    nodes: { isHeard: () => true, isOpen: (node: string) => node !== heldBack, stale: none },
    hostnames: { check: none },
    book: {
      reservation: () => heldBack && { plan: planOn(heldBack) },
      reservations: none,
      nodeTerms: nodeTerms(new Map(), () => ({ protocol: 'deltas' })),
    },
    decisions: { of: () => seen.decision },
    marketOf: () => seen.market,
    podsOf: none,
    countedFrom: () => countedFrom,
    settings: { deadlines: { manifestTimeoutMs: 1_000, unhealthyTimeoutMs: 50_000 }, terms: {} },
    now: () => at,
  } as unknown as LeaseViewOptions;
  return leaseView(options).of(record.name);
}

describe('what is shown of a lease', () => {
  it.each<[state: string, of: string, seen: Seen, changed?: Partial<LeaseRecord>]>([
    ['active', 'the leader reads that', { market: { lease: { state: 'active' } } }],
    ['unknown', 'the leader does not find it, whatever is on record', { market: {}, decision: { phase: 'Won', reasons: [] } }],
    ['active', 'it is on record as won', { decision: { phase: 'Won', reasons: [] } }],
    [
      'unknown',
      'it is on record that the market does not know it',
      { decision: { phase: 'Won', reasons: [{ code: 'OrderUnknown', message: '' }] } },
    ],
    [
      'unknown',
      'it is on record that the market does not know the lease any more',
      { decision: { phase: 'Won', reasons: [{ code: 'LeaseUnknown', message: '' }] } },
    ],
    ['closed', 'it is on record as closed', { decision: { phase: 'Closed', reasons: [] } }],
    ['closed', 'its end waits', { decision: { phase: 'Won', reasons: [] } }, { reason: 'Closing' }],
    ['unknown', 'nothing is on record', {}],
    ['unknown', 'the leader does not find it, and its end waits', { market: {} }, { reason: 'Closing' }],
    ['closed', 'it has ended, and the leader does not find it any more', { market: {} }, { reason: 'Closing', closingAt: 1 }],
    ['closed', 'it is complete, and nothing else is on record', {}, { state: 'Complete', reason: 'Closed' }],
    ['active', 'it has ended, and the leader reads that it is active again', { market: { lease: { state: 'active' } } }, { closingAt: 1 }],
  ])('is %s at the market where %s', (state, _what, seen, changed = {}) => {
    expect(sightOf(changed, seen)?.market.state).toBe(state);
  });

  it('says when it will be closed as the leader counts it: time in which it was not seen does not count', () => {
    expect(sightOf({}, { ...rolling, countedFrom: { market: 0, cluster: at + 7_000 } })?.closesAt).toBe(at + 57_000);
    expect(sightOf({}, { ...rolling, countedFrom: { market: 0, cluster: Infinity } })?.closesAt).toBeUndefined();
    expect(sightOf({}, { ...rolling, countedFrom: undefined })?.closesAt).toBeUndefined();
  });

  it('says of its state what its health says, before the leader has recorded it', () => {
    const sick = sightOf({}, rolling);
    expect(sick?.health?.state).toBe('unhealthy');
    expect(sick?.record).toMatchObject({ state: 'Active', reason: 'Unhealthy', message: expect.not.stringContaining('all replicas') });
    expect(sick?.closesAt).toBe(at + 50_000);
    const well = sightOf({ reason: 'Unhealthy', message: 'web lacks a replica', unhealthySince: 50_000 });
    expect([well?.health?.state, well?.record.reason, well?.record.message, well?.closesAt]).toEqual([
      'healthy',
      'Running',
      'all replicas are available',
      undefined,
    ]);
  });

  it('keeps what is in the way of it, and that it closes, whatever is seen of it', () => {
    const kept: readonly Partial<LeaseRecord>[] = [
      { state: 'Error', reason: 'RefusedByCluster', message: 'a webhook refuses it' },
      { state: 'Error', reason: 'ManifestRefused', message: 'the manifest is refused' },
      { state: 'Active', reason: 'Closing', message: 'the market says that it is closed' },
      { state: 'Active', reason: 'Deploying', message: 'the namespace is being deleted', deployedAt: undefined, runningAt: undefined },
    ];
    for (const each of kept) {
      expect(sightOf(each)?.record).toMatchObject(each);
      expect(sightOf(each, rolling)?.record).toMatchObject(each);
    }
  });

  it('does not take a replica to have failed that waits at its gate for a node that is held back', () => {
    const gated = { node: '', assignedTo: '', isGated: true, isReady: false, phase: 'Pending' };
    const pods = [leasePodOf('web-0'), leasePodOf('web-1', { ...gated })];
    const waiting = sightOf({}, { pods, workloads: [workloadOf('web', 1)], heldBack: 'n-2' });
    expect([waiting?.health?.state, waiting?.record.reason, waiting?.closesAt]).toEqual(['unknown', 'NotSeen', undefined]);
    expect(sightOf({}, { pods, workloads: [workloadOf('web', 1)] })?.health?.state).toBe('unhealthy');
  });

  it('counts as unhealthy where it did not start in time', () => {
    const starting = { reason: 'Deploying', message: 'replicas are starting', runningAt: undefined } as const;
    const early = sightOf({ ...starting, deployedAt: at - 49_000 }, rolling);
    expect([early?.health?.state, early?.record.reason]).toEqual(['starting', 'Deploying']);
    const late = sightOf({ ...starting, deployedAt: at - 50_000 }, rolling);
    expect([late?.health?.state, late?.record.reason, late?.closesAt]).toEqual(['unhealthy', 'Unhealthy', at + 50_000]);
  });

  it('keeps what its objects wait for while its replicas start', () => {
    const waiting = { reason: 'Deploying', message: 'a workload is made anew', runningAt: undefined } as const;
    expect(sightOf({ ...waiting, deployedAt: at - 1_000 }, rolling)?.record).toMatchObject(waiting);
  });
});

describe("namespaces that look like a lease's", () => {
  const record = leaseRecord('amy', 1n, { namespaceUid: undefined });
  const { lease, name, namespace } = record;
  const strangers = (shown: Partial<SeenNamespace>, { isRecorded = true, uid = undefined as string | undefined } = {}) => {
    const recorded = isRecorded ? [{ ...record, namespaceUid: uid }] : [];
    const seen = { live: { name: namespace, uid: 'ns' }, lease, seal: '', ...shown };
    const options = {
      records: { of: (of: string) => (of === name ? recorded[0] : undefined), all: () => recorded },
      manifests: { saltOf: (of: string) => (of === namespace ? { salt: 'salt' } : undefined) },
      namespaces: { all: () => [seen] },
      // Of namespaces with the labels of an order a reservation records any.
      book: { reservations: () => [{ leaseNamespace: { name: namespace, uid: 'ns' } }] },
    } as unknown as LeaseViewOptions;
    return leaseView(options)
      .strangers()
      .map(({ code }) => code);
  };
  const sealed = { seal: namespaceSeal('salt', 'ns') };

  it('are no strangers where they are recorded, or have a seal of their own, also once the record was lost', () => {
    expect(strangers({}, { uid: 'ns' })).toEqual([]);
    expect(strangers(sealed)).toEqual([]);
    expect(strangers(sealed, { isRecorded: false })).toEqual([]);
  });

  it('are strangers whatever else they say', () => {
    for (const shown of [{}, { seal: 'x' }, { seal: namespaceSeal('salt', 'another') }, { seal: namespaceSeal('pepper', 'ns') }]) {
      expect(strangers(shown)).toEqual(['NotRecorded']);
      expect(strangers(shown, { isRecorded: false })).toEqual(['NotRecorded']);
    }
    expect(strangers({ ...sealed, lease: 'tampered' })).toEqual(['LabelsTampered']);
    expect(strangers({ lease: undefined })).toEqual(['NotOurs']);
  });
});
