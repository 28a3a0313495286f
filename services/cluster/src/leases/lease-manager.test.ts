import { FakeClock, messageOf, StatusError, silentLog } from '@quartermaster/kernel';
import type { Pod } from '@quartermaster/kube/shapes';
import { beforeEach, describe, expect, it } from 'vitest';
import { planOn, reservation } from '../../test/filled-book.ts';
import { expose } from '../../test/lease-content.ts';
import { namespaceSeal } from '../../test/namespace-seal.ts';
import { noAddresses } from '../../test/no-addresses.ts';
import { groupOf, leaseRecord, leaseServiceOf, workloadOf } from '../../test/seen-lease.ts';
import type { SeenWorkload } from '../health/lease-health.ts';
import { seenLeasePod } from '../health/pod-sight.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { placementGate, serviceLabel } from '../model/lease-labels.ts';
import { OrderTurns } from '../reservations/order-turns.ts';
import type { LeaseActions } from './lease-action-types.ts';
import { leaseActions } from './lease-actions.ts';
import type { LeaseContext } from './lease-context.ts';
import { LeaseManager } from './lease-manager.ts';
import { overdue } from './lease-transitions.ts';

const running = leaseRecord('amy', 1n, { namespaceUid: 'ns', manifestHash: 'a' });
const { name, lease, namespace } = running;
const hostname = 'www.example.com';
const group = groupOf(leaseServiceOf('web', { exposes: [expose({ hosts: [hostname] })] }));
/** Made anew, after its node was drained. */
const gated: Pod = {
  metadata: { namespace, name: 'web-1', uid: 'pod-1', resourceVersion: '5', labels: { [serviceLabel]: 'web' } },
  spec: {
    containers: [{ name: 'web', image: 'web:1' }],
    schedulingGates: [{ name: placementGate }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] } } },
  },
};

const running1: Pod = {
  metadata: { ...gated.metadata, name: 'web-2', uid: 'pod-2' },
  spec: { containers: [{ name: 'web', image: 'web:1' }], nodeName: 'n-1' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};

/** Given a node, and not on its way there yet. */
const givenTo = (node: string, podName: string): Pod => {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }];
  return {
    metadata: { ...gated.metadata, name: podName, uid: `uid-${podName}`, resourceVersion: '6' },
    spec: {
      containers: [{ name: 'web', image: 'web:1' }],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
    },
  };
};

/** A lease of which a pod waits for its place, and whose objects nobody can look at, unless changed. */
class World {
  readonly clock = new FakeClock();
  record: LeaseRecord = running;
  isRecorded = true;
  isMarketAway = false;
  /** It was read, and its list does not have the lease. */
  isUnknown = false;
  isUnread = false;
  /** Of what the market answers when it is asked for the lease alone. */
  askFailure: StatusError | undefined;
  asks = 0;
  isClosed = false;
  isNewest = true;
  hasTakenOver = true;
  seal = '';
  salt: string | undefined = 's';
  writes = 0;
  fetched = 0;
  readonly placed: string[] = [];
  manifestHash = 'a';
  fetchFailure: StatusError | undefined;
  fetchedHash: string | undefined;
  whileFetching?: () => void;
  /** Until when a pod that is given its place waits for the API server. */
  whilePlacing?: Promise<void>;
  readonly transferred: string[] = [];
  plan = planOn('n-1');
  namespaceUid = 'ns';
  hasManifest = true;
  hasLostSecret = false;
  networks: LeaseContext['networks'] = () => undefined;
  /** As they are followed. */
  pods: readonly Pod[] = [gated];
  /** As the API server has them. */
  listed: readonly Pod[] = [gated];
  readonly deleted: unknown[] = [];
  namespaceReads = 0;
  workloads: readonly SeenWorkload[] = [];
  readonly #shared = this.#context();
  readonly #turns = new OrderTurns({ atOnce: 2, maxCalls: 1 });
  readonly #manager = new LeaseManager(this.#shared, this.#turns);
  readonly actions = leaseActions(this.#shared, this.#turns);

  async look(): Promise<void> {
    await this.#manager.reconcile(name, new AbortController().signal);
  }

  /** The market, as the leader has read it. */
  #view() {
    const problem = () => (this.isMarketAway ? { code: 'MarketUnknown', message: 'away' } : undefined);
    let isAsked = false;
    return {
      of: () => {
        const { isMarketAway, isUnknown, isClosed, manifestHash } = this;
        const found = { state: isClosed ? 'closed' : 'active', order: lease, provider: lease.provider, manifestHash };
        return { lease: isMarketAway || isUnknown ? undefined : found, isAsked, order: {} };
      },
      ask: async () => {
        this.asks += 1;
        if (this.askFailure !== undefined) throw this.askFailure;
        isAsked = true;
      },
      get problem() {
        return problem();
      },
      status: () => ({ readAt: this.isUnread ? undefined : 1 }),
    };
  }

  #context(): LeaseContext {
    const change = async (_writer: unknown, _name: string, advance: (before: LeaseRecord) => LeaseRecord) => {
      const after = advance(this.record);
      if (JSON.stringify({ ...after, lease: '' }) !== JSON.stringify({ ...this.record, lease: '' })) this.writes += 1;
      return (this.record = after);
    };
    const none = (): readonly never[] => [];
    const planned = { phase: 'active', leaseNamespace: { name: namespace, uid: 'ns' } } as const;
    return {
      ...{ clock: this.clock, log: silentLog },
      records: {
        ...{ of: () => (this.isRecorded ? this.record : undefined), change, problem: () => undefined },
        ensure: async () => {
          if (this.isRecorded) return this.record;
          this.isRecorded = true;
          return (this.record = leaseRecord('amy', 1n, { state: 'Pending', reason: '', message: '' }));
        },
      },
      manifests: {
        of: () => (this.hasManifest ? { group, hash: 'a', salt: 's' } : undefined),
        isNewest: async () => this.isNewest,
        ...{ shown: () => ({ group, hash: 'a' }), hasLostSecret: () => this.hasLostSecret, saltOf: () => this.salt && { salt: this.salt } },
      },
      caches: { podsIn: () => this.pods.map(seenLeasePod), claimsIn: none, workloadsIn: () => this.workloads, stale: none },
      namespaces: { get: () => ({ live: { uid: this.namespaceUid, name: namespace }, lease, seal: this.seal }), stale: none },
      nodes: { isHeard: () => true, isOpen: () => true, stale: none },
      book: {
        reservation: () => reservation(lease, { ...planned, plan: this.plan }),
        nodeTerms: { toleratedTaints: () => [{ key: 'gpu', value: '', effect: 'NoSchedule' }], isHeldBack: () => false },
      },
      view: this.#view(),
      market: {
        manifestOf: async () => {
          this.fetched += 1;
          this.whileFetching?.();
          if (this.fetchFailure !== undefined) throw this.fetchFailure;
          return { json: 'no manifest', confirmed: [], hash: this.fetchedHash };
        },
      },
      hostnames: { check: none },
      ...noAddresses,
      hostnameClaims: {
        transfer: async (_lease: unknown, wanted: { readonly hostname: string }) => {
          this.transferred.push(wanted.hostname);
          return wanted;
        },
      },
      announce: () => {},
      reserver: () => (this.hasTakenOver ? {} : undefined),
      settings: { objects: { sensitiveEnv: [] }, deadlines: { manifestTimeoutMs: 1_000, unhealthyTimeoutMs: 1_000_000 }, terms: {} },
      networks: () => this.networks(),
      apiServers: none,
      reader: {
        list: async () => ({ items: this.listed }),
        find: async () => {
          this.namespaceReads += 1;
          throw new StatusError('unavailable', 'the API server is away');
        },
      },
      writer: {
        patch: async (_type: unknown, ref: { readonly name: string }, { body }: { readonly body: Pod }) => {
          await this.whilePlacing;
          this.placed.push(
            `${ref.name} ${JSON.stringify(body.spec?.affinity).includes('n-1') && body.spec?.tolerations?.[0]?.key === 'gpu'}`,
          );
        },
        delete: async (_type: unknown, ref: object, { preconditions }: { readonly preconditions: unknown }) =>
          void this.deleted.push({ ...ref, preconditions }),
      },
    } as unknown as LeaseContext;
  }
}

describe('the manager of leases', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  it('gives pods their places also while the objects of the lease wait for something', async () => {
    await world.look();
    expect(world.placed).toEqual(['web-1 true']);
  });

  it('gives pods their places also while the cluster refuses objects of the lease', async () => {
    world.networks = () => {
      throw new StatusError('permission_denied', 'a webhook refuses it', { details: { kind: 'forbidden' } });
    };
    await expect(world.look()).rejects.toThrow('webhook');
    expect([world.placed, world.record.reason]).toEqual([['web-1 true'], 'RefusedByCluster']);
  });

  it('gives pods no places before what is reserved was read anew: the plan that is followed may be an older one', async () => {
    world.hasTakenOver = false;
    await world.look();
    expect(world.placed).toEqual([]);
    world.hasTakenOver = true;
    await world.look();
    expect(world.placed).toEqual(['web-1 true']);
  });

  it('gives no place that a former leader gave to another pod, which is not followed yet', async () => {
    world.listed = [givenTo('n-1', 'web-0'), gated];
    await world.look();
    expect(world.placed).toEqual([]);
  });

  it('replaces a pod whose place is not planned any more as it was read, unless it has got to a node meanwhile', async () => {
    const astray = givenTo('n-9', 'web-3');
    [world.pods, world.listed] = [[astray], [{ ...astray, spec: { containers: [], nodeName: 'n-9' } }]];
    await world.look();
    expect(world.deleted).toEqual([]);
    world.listed = [{ ...astray, metadata: { ...astray.metadata, resourceVersion: '7' } }];
    await world.look();
    expect(world.deleted).toEqual([{ namespace, name: 'web-3', preconditions: { uid: 'uid-web-3', resourceVersion: '7' } }]);
  });

  it.each<readonly [string, Partial<World>, number]>([
    ['does not know it', { isUnknown: true }, 1],
    ['does not answer when it is asked for it', { isUnknown: true, askFailure: new StatusError('unavailable', 'no answer') }, 3],
    ['was not read yet', { isUnknown: true, isUnread: true }, 0],
    ['is away', { isMarketAway: true }, 0],
  ])('goes on as it is where the market %s', async (_what, market, asks) => {
    Object.assign(world, market);
    for (let looks = 0; looks < 3; looks += 1) {
      await world.look();
      expect(world.record.reason).not.toBe('Closing');
    }
    expect(world.asks).toBe(asks);
    expect([world.record.state, world.record.closingAt, world.placed[0], world.namespaceReads]).toEqual([
      'Active',
      undefined,
      'web-1 true',
      0,
    ]);
  });

  it('writes nothing of a lease whose manifest has lost its Secret, until it comes again', async () => {
    Object.assign(world, { hasLostSecret: true, isMarketAway: true });
    await world.look();
    expect([world.placed, world.deleted, world.writes]).toEqual([[], [], 0]);
    world.hasLostSecret = false;
    await world.look();
    expect(world.placed).toEqual(['web-1 true']);
  });

  it.each<[what: string, ask: (actions: LeaseActions, signal: AbortSignal) => Promise<unknown>, answer: RegExp]>([
    [
      'transfers a hostname',
      (actions, signal) => actions.transferHostname(lease, { hostname, service: 'web', externalPort: 80, isStatic: false }, signal),
      /www\.example\.com/,
    ],
    ['submits a manifest', (actions, signal) => actions.submitManifest(lease, { json: 'no manifest', confirmed: [] }, signal), /JSON/],
  ])('finishes its own write of a lease before a caller %s', async (_what, ask, answer) => {
    const { promise: untilPlaced, resolve: place } = Promise.withResolvers<void>();
    world.whilePlacing = untilPlaced;
    const looking = world.look();
    const answers: string[] = [];
    const asking = ask(world.actions, new AbortController().signal).then(
      (answered) => answers.push(JSON.stringify(answered)),
      (thrown: unknown) => answers.push(messageOf(thrown)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect([world.placed, world.transferred, answers]).toEqual([[], [], []]);
    place();
    await Promise.all([looking, asking]);
    expect([world.placed, answers]).toEqual([['web-1 true'], [expect.stringMatching(answer)]]);
  });

  it('keeps a lease that the market says is closed until its end was let through, and then ends it whatever the market says', async () => {
    world.isClosed = true;
    await world.look();
    expect([world.record.state, world.record.reason, world.record.closingAt]).toEqual(['Active', 'Closing', undefined]);
    expect([world.placed, world.namespaceReads]).toEqual([['web-1 true'], 0]);
    world.hasManifest = false;
    await world.look();
    expect([world.record.closingAt, world.namespaceReads]).toEqual([undefined, 0]);
    Object.assign(world, { isClosed: false, hasManifest: true, record: { ...world.record, closingAt: world.clock.now() } });
    await expect(world.look()).rejects.toThrow('API server is away');
    expect([world.placed.length, world.namespaceReads]).toEqual([1, 1]);
  });

  it('has a deadline while the cluster refuses its objects and replicas are missing, however often that comes and goes', async () => {
    const refusing = () => {
      throw new StatusError('permission_denied', 'webhook.inside refuses it', { details: { kind: 'forbidden' } });
    };
    [world.pods, world.workloads] = [[], [workloadOf('web', 0)]];
    const since = world.clock.now();
    world.record = { ...running, reason: 'Deploying', deployedAt: undefined, runningAt: undefined, manifestAt: since };
    for (let looks = 0; looks < 4; looks += 1) {
      world.networks = refusing;
      await expect(world.look()).rejects.toThrow('webhook');
      await world.clock.advance(100_000);
      // Under way for a moment, and refused again.
      world.networks = () => undefined;
      await world.look();
    }
    expect(world.record).toMatchObject({ unhealthySince: since });
    world.networks = refusing;
    await expect(world.look()).rejects.toThrow('webhook');
    const deadlines = { manifestTimeoutMs: 1_000, unhealthyTimeoutMs: 500_000 };
    expect(overdue(world.record, deadlines, since + 499_999)).toEqual({ inMs: 1 });
    const over = overdue(world.record, deadlines, since + 500_000);
    // The tenant reads why, and nothing of what is inside the provider.
    expect(over).toEqual({
      message: expect.stringMatching(/^unhealthy for .*rejected an object of the lease: ask the provider why$/),
    });
    // What runs all the same has none.
    [world.pods, world.workloads] = [[running1], [workloadOf('web', 1)]];
    await expect(world.look()).rejects.toThrow('webhook');
    expect(world.record).toMatchObject({ state: 'Error', unhealthySince: undefined });
  });

  it.each(['internal', 'unavailable', 'failed_precondition', 'invalid_argument'] as const)(
    'has a deadline while its objects cannot be created because of what is %s, and tells how replicas are that were there before',
    async (code) => {
      world.networks = () => {
        throw new StatusError(code, 'webhook.inside is away');
      };
      [world.pods, world.workloads] = [[], [workloadOf('web', 0)]];
      const manifestAt = world.clock.now();
      world.record = { ...running, reason: 'Deploying', deployedAt: undefined, runningAt: undefined, manifestAt };
      await expect(world.look()).rejects.toThrow('webhook');
      expect(world.record).toMatchObject({ state: 'Active', reason: 'Deploying', message: expect.stringContaining('retried') });
      expect(world.record.message).not.toContain('inside');
      await world.clock.advance(1_000_000);
      await expect(world.look()).rejects.toThrow('webhook');
      expect(world.record).toMatchObject({ reason: 'Unhealthy', unhealthySince: manifestAt + 1_000_000 });
      world.record = running;
      await expect(world.look()).rejects.toThrow('webhook');
      expect(world.record).toMatchObject({ reason: 'Unhealthy', unhealthySince: manifestAt + 1_000_000 });
      [world.pods, world.workloads] = [[running1], [workloadOf('web', 1)]];
      await expect(world.look()).rejects.toThrow('webhook');
      expect(world.record).toMatchObject({ reason: 'Running', unhealthySince: undefined });
    },
  );

  it('is unhealthy when its objects have waited for as long as replicas may take to start', async () => {
    [world.pods, world.workloads] = [[], [workloadOf('web', 0)]];
    const manifestAt = world.clock.now();
    world.record = { ...running, reason: 'Deploying', deployedAt: undefined, runningAt: undefined, manifestAt };
    await world.look();
    await world.clock.advance(999_999);
    await world.look();
    expect([world.record.reason, world.record.unhealthySince]).toEqual(['Deploying', undefined]);
    await world.clock.advance(1);
    await world.look();
    expect(world.record).toMatchObject({
      ...{ reason: 'Unhealthy', message: 'the networks of the cluster are still being read' },
      unhealthySince: manifestAt + 1_000_000,
    });
  });

  it('says of a lease that is closing nothing else, also while the cluster refuses objects of it', async () => {
    world.isClosed = true;
    world.networks = () => {
      throw new StatusError('permission_denied', 'a webhook refuses it', { details: { kind: 'forbidden' } });
    };
    await expect(world.look()).rejects.toThrow('webhook');
    expect(world.record).toMatchObject({ state: 'Active', reason: 'Closing' });
  });

  it('makes nothing of an older manifest than the one that runs, which a leader may see that has just begun', async () => {
    world.record = { ...running, manifestHash: 'newer' };
    world.isNewest = false;
    await world.look();
    expect([world.record.manifestHash, world.placed]).toEqual(['newer', []]);
    world.isNewest = true;
    await world.look();
    expect(world.record.manifestHash).toBe('a');
  });

  it('touches no pods in a namespace that is not the lease’s', async () => {
    world.namespaceUid = 'of somebody else';
    await world.look();
    expect(world.placed).toEqual([]);
  });

  it.each([
    ['its namespace has its seal, and is on record with what is reserved', 's', namespaceSeal('s', 'ns'), 'ns', true],
    ['its namespace only has its labels', 's', '', 'ns', false],
    ['its namespace has any text for a seal', 's', 'x', 'ns', false],
    ['its namespace has the seal of another', 's', namespaceSeal('s', 'gone'), 'ns', false],
    ['its manifest was lost, too', undefined, namespaceSeal('s', 'ns'), 'ns', false],
    ['another namespace has its name', 's', namespaceSeal('s', 'other'), 'other', false],
  ])('keeps a lease whose record was lost while the market is away, where %s', async (_where, salt, seal, uid, isKept) => {
    Object.assign(world, { isRecorded: false, isMarketAway: true, salt, seal, namespaceUid: uid });
    await world.look();
    expect([world.isRecorded, world.placed]).toEqual([isKept, isKept ? ['web-1 true'] : []]);
    if (isKept) expect(world.record).toMatchObject({ state: 'Active', manifestHash: 'a' });
  });

  it('judges a manifest that stays refused once in a while, not at every look', async () => {
    world.manifestHash = 'b';
    for (let looks = 0; looks < 80; looks += 1) {
      await world.look();
      await world.clock.advance(5_000);
    }
    expect(world.record.refused?.message).toContain('JSON');
    expect(world.fetched).toBe(2);
    world.manifestHash = 'c';
    await world.look();
    expect(world.fetched).toBe(3);
  });

  it('goes on with what runs while the market does not hand over the next manifest', async () => {
    Object.assign(world, { manifestHash: 'b', fetchFailure: new StatusError('unavailable', 'the market does not answer') });
    await expect(world.look()).rejects.toThrow('does not answer');
    expect([world.fetched, world.placed, world.record.refused]).toEqual([1, ['web-1 true'], undefined]);
  });

  it('tells the tenant of a manifest that the market cannot make, and asks for it seldom', async () => {
    const fetchFailure = new StatusError('failed_precondition', 'its SDL has no group of that name');
    Object.assign(world, { manifestHash: 'b', fetchFailure });
    for (let looks = 0; looks < 20; looks += 1) await world.look();
    expect(world.record.refused).toMatchObject({
      hash: 'b',
      reason: 'ManifestUnavailable',
      message: 'the market does not hand over the manifest: its SDL has no group of that name',
    });
    expect([world.fetched, world.placed[0]]).toEqual([1, 'web-1 true']);
  });

  it('does not refuse one manifest for another that the market has by the time it is fetched', async () => {
    Object.assign(world, { manifestHash: 'b', fetchedHash: 'c' });
    await world.look();
    expect([world.fetched, world.record.refused]).toEqual([1, undefined]);
    world.manifestHash = 'c';
    await world.look();
    expect([world.fetched, world.record.refused?.hash]).toEqual([2, expect.any(String)]);
  });

  it('judges a few new manifests at once, and of more the newest after a while', async () => {
    for (const manifestHash of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      world.manifestHash = manifestHash;
      await world.look();
    }
    expect(world.fetched).toBe(5);
    await world.clock.advance(60_000);
    await world.look();
    expect([world.fetched, world.record.refused?.hash]).toEqual([6, expect.any(String)]);
  });

  it('forgets what it refused when the tenant goes back to the manifest that runs', async () => {
    world.manifestHash = 'b';
    await world.look();
    expect(world.record.refused?.message).toContain('JSON');
    world.manifestHash = 'a';
    await world.look();
    expect(world.record.refused).toBeUndefined();
    world.manifestHash = 'b';
    await world.look();
    expect([world.fetched, world.record.refused?.message]).toEqual([2, expect.stringContaining('JSON')]);
  });

  it.each(['before it is looked at', 'while its manifest is fetched'])(
    'gives pods no places of a plan that is being replaced by another, %s',
    async (when) => {
      const replace = (): void => {
        world.plan = { ...world.plan, units: [...world.plan.units, ...world.plan.units] };
      };
      if (when.startsWith('before')) replace();
      else Object.assign(world, { manifestHash: 'b', whileFetching: replace });
      await world.look();
      expect([world.placed, world.fetched]).toEqual([[], when.startsWith('before') ? 0 : 1]);
    },
  );

  it('waits for the manifest again when the market takes back that the lease is closed', async () => {
    world.hasManifest = false;
    world.record = leaseRecord('amy', 1n, { state: 'Pending', reason: 'Closing', message: 'the market says that it is closed' });
    await world.look();
    expect(world.record).toMatchObject({ state: 'Pending', reason: 'ManifestMissing', wonAt: 3_000 });
  });

  it('tells what the objects wait for, and writes it once', async () => {
    world.record = { ...running, reason: 'Deploying', message: 'replicas are starting', deployedAt: undefined, runningAt: undefined };
    await world.look();
    expect(world.record).toMatchObject({ reason: 'Deploying', message: 'the networks of the cluster are still being read' });
    await world.look();
    expect(world.writes).toBe(1);
  });

  it('writes nothing of a lease whose objects were made, while a new leader still reads', async () => {
    const deployedAt = world.clock.now();
    [world.pods, world.workloads] = [[], [workloadOf('web', 0)]];
    world.record = { ...running, reason: 'Deploying', message: 'replicas are starting', deployedAt, runningAt: undefined };
    await world.look();
    expect([world.writes, world.record.message]).toEqual([0, 'replicas are starting']);
  });
});
