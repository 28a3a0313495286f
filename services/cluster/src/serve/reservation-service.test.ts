import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { RefusalKind, ReservationPhase, ReservationService } from '@quartermaster/api/cluster';
import { type Clock, FakeClock, type StatusError } from '@quartermaster/kernel';
import { type Authenticate, type ClientTls, openRpcChannel, type RpcServer, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { filledBook, order, planOn, pod, reservation } from '../../test/filled-book.ts';
import { Gi, node, one } from '../../test/sample-facts.ts';
import { SampleReserver } from '../../test/sample-reserver.ts';
import { decideBy } from '../book/decide.ts';
import { LeaderLine, type SeenLeader, sentOnHeader } from './leader-line.ts';
import { requestMessage } from './request-message.ts';
import { reservationService } from './reservation-service.ts';

/** Whoever has no token is taken to have shown a certificate. */
const named: Authenticate = ({ token }) =>
  token === undefined ? { kind: 'certificate', name: 'by-certificate', groups: [] } : { kind: 'token', name: token, groups: [] };

const ask = { order: order('amy', 1n), request: requestMessage(one({ cpuMillis: 1000 })) };

describe('the reservation service', () => {
  const ends: (() => unknown)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  /** How the leader proves itself: undefined when it cannot. Replicas in one process need no certificates of their own. */
  const tls: { of: ClientTls | undefined } = { of: {} };
  const connect = (address: string) => openRpcChannel({ address, tries: 1 });

  async function replica(name: string, leader: () => SeenLeader, { isLeader = true, clock }: { isLeader?: boolean; clock?: Clock } = {}) {
    const book = filledBook([node('n-1'), node('n-2', { memoryBytes: Gi })], [pod('n-1', 'u')]);
    const reserver = new SampleReserver(book, decideBy(book), clock ?? new FakeClock());
    const line = new LeaderLine({ replica: name, leader, tls: async () => tls.of, connect });
    ends.push(() => line.close());
    const role = { isLeader };
    const outcomes: string[] = [];
    const service = reservationService({
      book,
      decide: decideBy(book),
      placing: {},
      maxLifetimeMs: 300_000,
      reserver: () => (role.isLeader ? reserver : undefined),
      leader: line,
      status: () => ({ version: 'v', replica: name, isLeader: role.isLeader, leader: leader().holder ?? '', term: 3, startedAt: 5 }),
      onDecision: (outcome) => outcomes.push(outcome),
      clock: clock ?? new FakeClock(),
    });
    const server: RpcServer = await startRpcServer({ services: [service], authenticate: named });
    ends.push(() => server.stop(0));
    const channels = (token?: string) => {
      const channel = openRpcChannel({ address: server.address, token: token === undefined ? undefined : () => token, tries: 1 });
      ends.push(() => channel.close());
      return channel.client(ReservationService);
    };
    return { book, reserver, role, outcomes, address: server.address, client: channels('amy'), as: channels };
  }

  const alone = () => replica('one', () => ({ holder: 'one' }));

  it('reserves, shows, lists and gives back', async () => {
    const { client, reserver, outcomes } = await alone();
    const { outcome } = await client.reserve({ ...ask, lifetime: durationFromMs(5_000) });
    expect(outcome).toMatchObject({
      case: 'reservation',
      value: {
        order: { owner: 'amy', dseq: 1n },
        owner: 'amy',
        phase: ReservationPhase.PENDING,
        confirmed: true,
        plan: { units: [{ replicas: [{ nodeUid: expect.stringContaining('uid-') }] }] },
        promised: { cpuMillis: 1000n, memoryBytes: BigInt(Gi) },
        held: { cpuMillis: 1000n },
        unitPods: [{ unit: 1, replicas: 1, pods: 0 }],
      },
    });
    expect(reserver.asked).toMatchObject([{ owner: 'amy', lifetimeMs: 5_000 }]);
    expect(outcomes).toEqual(['reserved']);
    expect((await client.getReservation({ order: ask.order })).reservation).toMatchObject({ uid: 'uid-amy-1-1-1' });
    expect((await client.listReservations({ owner: 'amy' })).reservations).toHaveLength(1);
    expect((await client.unreserve({ order: ask.order, uid: 'another' })).reservation).toBeUndefined();
    expect((await client.unreserve({ order: ask.order })).reservation).toMatchObject({ uid: 'uid-amy-1-1-1', conditions: [] });
    expect((await client.unreserve({ order: ask.order })).reservation).toBeUndefined();
    await expect(client.getReservation({ order: ask.order })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('answers that nothing is free, and by which inventory', async () => {
    const { client, outcomes } = await alone();
    const { outcome } = await client.reserve({ ...ask, request: requestMessage(one({ cpuMillis: 20_000 })) });
    expect(outcome).toMatchObject({
      case: 'refusal',
      value: {
        kind: RefusalKind.DOES_NOT_FIT,
        summary: 'It does not fit: no single node can hold one replica.',
        generation: { epoch: 'e', sequence: 3n },
      },
    });
    expect(outcomes).toEqual(['does-not-fit']);
    const { outcome: check } = await client.checkFit({ request: ask.request, owner: 'amy' });
    expect(check).toMatchObject({ case: 'plan', value: { generation: { sequence: 3n } } });
  });

  it('explains what every node lacks, and what would fit', async () => {
    const { client, book } = await alone();
    book.setReservation(reservation(order('bob', 2n), { expiresAt: Date.UTC(2100, 0) }));
    const request = requestMessage(one({ count: 2, memoryBytes: 63 * Gi }));
    const { outcome, nodeGroups } = await client.explainFit({ request, namedNodes: 1 });
    expect(nodeGroups).toMatchObject([
      { count: 1n, nodes: ['n-1'], shortfalls: [] },
      { count: 1n, nodes: ['n-2'], shortfalls: [{ unit: 1, resource: 'memory', needed: BigInt(63 * Gi), free: BigInt(Gi) }] },
    ]);
    expect(outcome).toMatchObject({
      case: 'refusal',
      value: {
        nearestChanges: [
          { message: 'Unit 1 fits with 1 of its 2 replicas.', change: { case: 'fewerReplicas', value: { unit: 1, count: 1 } } },
          {
            message: 'Unit 1 fits with 32 GiB instead of 63 GiB of memory for each replica.',
            change: { case: 'lessResource', value: { unit: 1, resource: 'memory', amount: BigInt(32 * Gi) } },
          },
        ],
      },
    });
  });

  it('reserves while more is asked about what fits than can be answered', async () => {
    // Each look at it is half a second later, and nothing that waits is woken.
    let at = 0;
    const clock: Clock = { now: () => at, monotonic: () => (at += 500), schedule: () => () => {} };
    const { client } = await replica('one', () => ({ holder: 'one' }), { clock });
    expect((await client.checkFit({ request: ask.request })).outcome.case).toBe('plan');
    const ending = new AbortController();
    const [refused, ...others] = await new Promise<readonly unknown[]>((resolve) => {
      const failures: unknown[] = [];
      const questions = Array.from({ length: 40 }, (_, each) =>
        (each % 2 === 0 ? client.explainFit : client.checkFit)({ request: ask.request }, { signal: ending.signal }).catch(
          (thrown: unknown) => void (failures.push(thrown) === 8 && resolve([...failures])),
        ),
      );
      ends.push(() => Promise.all(questions));
    });
    expect(refused).toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 1_000 } });
    expect(new Set(others.map((each) => (each as StatusError).code))).toEqual(new Set(['resource_exhausted']));
    expect((await client.reserve(ask)).outcome.case).toBe('reservation');
    ending.abort();
  });

  it('promises no change where knowledge is what is missing', async () => {
    const { client, book } = await alone();
    book.setKnowledge({
      ...book.knowledge,
      lastContactAt: 950.25,
      problem: { code: 'InventoryStale', message: 'the inventory has been silent for 40s' },
    });
    const { outcome } = await client.explainFit({ request: requestMessage(one({ cpuMillis: 20_000 })) });
    expect(outcome).toMatchObject({ case: 'refusal', value: { kind: RefusalKind.NOT_KNOWN, nearestChanges: [] } });
    const { inventory } = await client.getStatus({});
    expect(inventory).toMatchObject({
      fresh: false,
      lastContactAt: { seconds: 0n, nanos: 950_000_000 },
      reason: { code: 'InventoryStale' },
    });
  });

  it('sums up what is pending and what is active, and who shares a place with too little', async () => {
    const { client, book } = await alone();
    const leaseNamespace = { name: 'ns', uid: 'u' };
    book.setReservation(reservation(order('amy', 1n), { plan: planOn('n-1', 10_000) }));
    book.setReservation(reservation(order('bob', 2n), { plan: planOn('n-1'), phase: 'active', leaseNamespace }));
    book.setReservation(reservation(order('cid', 3n), { plan: planOn('n-1', 7_000), phase: 'active' }));
    expect(await client.getStatus({})).toMatchObject({
      replica: 'one',
      isLeader: true,
      term: 3n,
      availability: {
        cpu: { allocatable: 32_000n, pending: 10_000n, active: 7_000n, available: 16_000n, overcommitted: 1_000n },
        ports: { allocatable: 2768n, available: 2768n },
        leasedIps: { refusal: { code: 'IpCapacityUnknown' } },
      },
      pending: { count: 1n, held: { cpuMillis: 10_000n } },
      active: { count: 2n, promised: { cpuMillis: 8_000n }, allocated: { cpuMillis: 1_000n }, held: { cpuMillis: 7_000n } },
      leases: [
        { owner: 'bob', leaseNamespace, pods: 1n, allocated: { cpuMillis: 1_000n } },
        { owner: 'cid', pods: 0n },
      ],
      leaseCount: 2n,
      overCommitted: 2n,
    });
    const { reservation: found } = await client.getReservation({ order: order('cid', 3n) });
    expect(found?.conditions).toMatchObject([{ type: 'OverCommitted', places: ['node/n-1'], reservations: [{ owner: 'amy', dseq: 1n }] }]);
  });

  it.each([
    ['order', { request: ask.request }],
    ['lifetime', { ...ask, lifetime: durationFromMs(-1) }],
    ['lifetime', { ...ask, lifetime: durationFromMs(999) }],
    ['lifetime', { ...ask, lifetime: durationFromMs(7_200_000) }],
    ['request.units', { ...ask, request: {} }],
  ])('refuses by the field: %s', async (field, message) => {
    const { client } = await alone();
    await expect(client.reserve(message)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { fieldViolations: [{ field }] },
    });
  });

  it('names the setting that a lifetime is too long for', async () => {
    const { client, reserver } = await alone();
    await expect(client.reserve({ ...ask, lifetime: durationFromMs(7_200_000) })).rejects.toThrow(
      'is 2h; cluster-pending-lifetime allows at most 5m',
    );
    await client.reserve({ ...ask, lifetime: durationFromMs(300_000) });
    expect(reserver.asked).toMatchObject([{ lifetimeMs: 300_000 }]);
  });

  describe('on a replica that does not lead', () => {
    async function pair() {
      const leader = await replica('leading', () => ({ holder: 'leading', address: leader.address }));
      const seen: { current: SeenLeader } = { current: { holder: 'leading', address: leader.address } };
      const standby = await replica('waiting', () => seen.current, { isLeader: false });
      return { leader, standby, seen };
    }

    it('has the leader write, in the name of the caller, and answers reads itself', async () => {
      const { leader, standby } = await pair();
      expect((await standby.client.reserve(ask)).outcome).toMatchObject({ case: 'reservation' });
      expect([leader.reserver.asked.length, standby.reserver.asked.length]).toEqual([1, 0]);
      expect((await standby.client.listReservations({})).reservations).toEqual([]);
      expect((await standby.client.checkFit({ request: ask.request })).outcome.case).toBe('plan');
      expect((await standby.client.unreserve({ order: ask.order })).reservation?.uid).toBe('uid-amy-1-1-1');
      expect(leader.book.reservations()).toEqual([]);
      leader.book.setReservation(reservation(ask.order));
      await expect(standby.client.reserve({ ...ask, request: requestMessage(one({ cpuMillis: 2000 })) })).rejects.toMatchObject({
        code: 'already_exists',
        message: expect.stringContaining('unreserve it before the order is reserved anew'),
      });
    });

    it('follows the leader to another address', async () => {
      const { leader, standby, seen } = await pair();
      await standby.client.reserve(ask);
      const next = await replica('next', () => ({ holder: 'next' }));
      seen.current = { holder: 'next', address: next.address };
      await standby.client.reserve(ask);
      expect([leader.reserver.asked.length, next.reserver.asked.length]).toEqual([1, 1]);
    });

    it('sends nothing on twice', async () => {
      const { leader, standby } = await pair();
      leader.role.isLeader = false;
      await expect(standby.client.reserve(ask)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('leading does not lead, though waiting sent the call here'),
      });
      await expect(standby.client.reserve(ask, { headers: { [sentOnHeader]: 'other' } })).rejects.toMatchObject({ code: 'unavailable' });
      expect(leader.reserver.asked).toEqual([]);
    });

    it.each([
      [{ holder: undefined }, 'no leader is known now'],
      [{ holder: '' }, 'no leader is known now'],
      [{ holder: 'waiting', address: '127.0.0.1:1' }, 'no leader is known now'],
      [{ holder: 'silent' }, 'the leader silent does not say where it is reached'],
    ])('says why it cannot: %j', async (current, message) => {
      const { standby, seen } = await pair();
      seen.current = current;
      await expect(standby.client.reserve(ask)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(message) });
    });

    it('sends no token to a leader that nothing proves to be one of ours', async () => {
      const { leader, standby } = await pair();
      tls.of = undefined;
      onTestFinished(() => void (tls.of = {}));
      await expect(standby.client.reserve(ask)).rejects.toMatchObject({
        code: 'unavailable',
        message: `the leader is at ${leader.address}, and nothing proves that it is one of ours: give all replicas certificates and cluster-peer-ca-file, or call the leader itself`,
      });
      expect(leader.reserver.asked).toEqual([]);
    });

    it('cannot send on whoever shows a certificate alone, and names the leader', async () => {
      const { leader, standby } = await pair();
      await expect(standby.as().unreserve({ order: ask.order })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(`call the leader itself at ${leader.address}, or show a token`),
      });
    });
  });
});
