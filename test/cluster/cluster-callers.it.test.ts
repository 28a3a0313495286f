import { RefusalKind, type ReserveResponse } from '@quartermaster/api/cluster';
import { type Reservation, reservationType } from '@quartermaster/api/reservation';
import { seededRandom, silentLog, systemClock } from '@quartermaster/kernel';
import { type Cache, startCache } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience, startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { type ClusterSite, startSite } from './cluster-site.ts';

const callers = 50;
/** Orders that fit: five on each node. */
const room = 20;
const nodes = ['n-1', 'n-2', 'n-3', 'n-4'];
const perNode = room / nodes.length;
const request = { units: [{ id: 1, count: 1, cpuMillis: 2000n, memoryBytes: 2n ** 30n }] };
const orderOf = (dseq: number) => ({ owner: `akash1tenant${dseq}`, dseq: BigInt(dseq), gseq: 1, oseq: 1 });

describe('callers that reserve at the same time, on every replica', () => {
  let site: ClusterSite;
  let objects: Cache<Reservation>;
  /** The most that was ever stored: of all, and on one node. */
  const most = { promised: 0, onNode: 0 };

  beforeAll(async () => {
    site = await startSite(await startSimulatedCluster(), {
      nodes,
      resources: { cpu: String(2 * perNode), memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '110' },
      replicas: 2,
      args: ['--cluster-pending-share=1'],
    });
    objects = startCache(site.cluster.client, {
      type: reservationType,
      project: (reservation) => reservation,
      clock: systemClock,
      random: seededRandom(1),
      log: silentLog,
    });
    const look = (): void => {
      const promised = [...objects.entries()].map(({ value }) => value).filter(({ status }) => status?.confirmed === true);
      const planned = promised.flatMap(({ spec }) => spec.plan.units.flatMap(({ replicas }) => replicas.map(({ node }) => node)));
      most.promised = Math.max(most.promised, promised.length);
      most.onNode = Math.max(most.onNode, ...nodes.map((name) => planned.filter((node) => node === name).length));
    };
    objects.subscribe({ added: look, updated: look });
    await objects.whenSynced();
  });

  afterAll(async () => {
    await objects?.stop();
    await site?.stop();
  });

  /** Each has a connection of its own, to one of the replicas. */
  function clientFor(dseq: number) {
    const replica = site.replicas[dseq % site.replicas.length];
    if (replica === undefined) throw new Error('there are no replicas');
    return replica.client();
  }
  const reserve = (dseq: number): Promise<ReserveResponse> => clientFor(dseq).reserve({ order: orderOf(dseq), request });
  const unreserve = (dseq: number) => clientFor(dseq).unreserve({ order: orderOf(dseq) });
  const reserved = (answers: readonly ReserveResponse[]) =>
    answers.flatMap(({ outcome }) => (outcome.case === 'reservation' ? Number(outcome.value.order?.dseq) : []));
  const refused = (answers: readonly ReserveResponse[]) =>
    answers.flatMap(({ outcome }) => (outcome.case === 'refusal' ? outcome.value.kind : []));
  const stored = async () => (await site.cluster.client.list(reservationType)).items;

  it('get as much as there is, and not more', async () => {
    const answers = await Promise.all(Array.from({ length: callers }, (_, index) => reserve(index)));
    const winners = reserved(answers);
    expect(winners).toHaveLength(room);
    expect(refused(answers)).toEqual(Array.from({ length: callers - room }, () => RefusalKind.DOES_NOT_FIT));
    const items = await stored();
    expect(items.map(({ spec }) => Number(spec.order.dseq)).toSorted((a, b) => a - b)).toEqual(winners.toSorted((a, b) => a - b));
    for (const replica of site.replicas) {
      const available = async () => (await replica.client().getStatus({})).availability?.cpu;
      await expect.poll(available, patience).toMatchObject({ pending: BigInt(2000 * room), available: 0n, overcommitted: 0n });
      expect((await replica.client().checkFit({ request })).outcome).toMatchObject({
        case: 'refusal',
        value: { kind: RefusalKind.DOES_NOT_FIT },
      });
    }
  });

  it('get the same promise when they ask for the same order', async () => {
    const [first] = await stored();
    const dseq = Number(first?.spec.order.dseq);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reserve(dseq)));
    expect(new Set(answers.map(({ outcome }) => (outcome.case === 'reservation' ? outcome.value.uid : outcome.case)))).toEqual(
      new Set([first?.metadata?.uid]),
    );
  });

  it('get what others give back at the same time, and in the end all is there again', async () => {
    const before = (await stored()).map(({ spec }) => Number(spec.order.dseq));
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: callers }, (_, index) => reserve(1000 + index))),
      Promise.all(before.map(unreserve)),
    ]);
    expect(refused(answers).every((kind) => kind === RefusalKind.DOES_NOT_FIT)).toBe(true);
    expect((await stored()).map(({ spec }) => Number(spec.order.dseq)).toSorted((a, b) => a - b)).toEqual(
      reserved(answers).toSorted((a, b) => a - b),
    );
    await Promise.all(reserved(answers).map(unreserve));
    expect(await stored()).toEqual([]);
    // What was stored is told later: all of it has been once nothing is left.
    await expect.poll(() => [...objects.entries()], patience).toEqual([]);
    expect(most).toEqual({ promised: room, onNode: perNode });
    for (const replica of site.replicas) {
      const available = async () => (await replica.client().getStatus({})).availability?.cpu;
      await expect.poll(available, patience).toMatchObject({ pending: 0n, available: BigInt(2000 * room), overcommitted: 0n });
    }
  });
});
