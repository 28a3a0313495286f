import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusalKind, ReservationService, VolumeKind } from '@quartermaster/api/cluster';
import { type Reservation, reservationType } from '@quartermaster/api/reservation';
import { type Random, StatusError, seededRandom } from '@quartermaster/kernel';
import { kinds, startCache } from '@quartermaster/kube';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  addAgent,
  addNode,
  hardwareOf,
  type OperatorCluster,
  report,
  startRealCluster,
  startSimulatedCluster,
} from '../inventory/operator-cluster.ts';
import { type RunningOperator, startOperator } from '../inventory/running-operator.ts';
import { times } from '../support/soak.ts';
import { type ClusterTokens, clusterTokens, installReservations } from './running-cluster.ts';
import { type FastRole, startFastRole } from './start-fast-role.ts';

/** All time in the replicas passes so many times as fast: the lease of a leader that died runs out in a second and a half. */
const pace = 10;
const nodes = ['n-1', 'n-2', 'n-3'];
/** What addNode gives a node. */
const capacity = { cpu: 64_000, cards: 8 };
/** Less than a test may take, so that a failure says what was not answered. */
const patience = { timeout: 25_000, interval: 20 };
const callers = 6;
const ordersOfCaller = 6;
const gib = 2n ** 30n;
const cards = (count: number) => ({ count, wants: [{ vendor: 'nvidia', model: 'h100' }] });
const small = { id: 1, count: 1, cpuMillis: 4_000n, memoryBytes: gib };
/** More than there is, all together. */
const requests = [
  { units: [{ ...small, cpuMillis: 8_000n, gpus: cards(1) }] },
  { units: [{ ...small, count: 2, gpus: cards(2), volumes: [{ kind: VolumeKind.EPHEMERAL, name: 'tmp', bytes: 100n * gib }] }] },
  { units: [{ ...small, cpuMillis: 20_000n, randomPorts: 2 }] },
  {
    units: [
      { ...small, gpus: cards(2) },
      { ...small, id: 2, cpuMillis: 6_000n },
    ],
  },
];
/** What is promised does not end by itself: by default it would in half a minute at this pace, which a busy machine may need. */
const settings = [
  ...['--cluster-pending-lifetime=24h', '--cluster-pending-per-owner=1000'],
  ...['--cluster-pending-owner-share=1', '--cluster-pending-share=1'],
];
const orderOf = (dseq: number) => ({ owner: 'akash1tenant', dseq: BigInt(dseq), gseq: 1, oseq: 1 });

interface Replica {
  readonly role: FastRole;
  readonly client: ServiceClient<typeof ReservationService>;
  end(): Promise<void>;
}

const rounds = times(1, 50);
/** On the real API server where there is more time. */
const start = times(0, 1) === 0 ? startSimulatedCluster : startRealCluster;

/** Leaders of the real role that are killed while they reserve. Nobody gives their lease back for them. */
describe('a process of the cluster service that is killed while it leads', () => {
  let directory: string;
  let cluster: OperatorCluster;
  let operator: RunningOperator;
  let tokens: ClusterTokens;
  let token: string;
  const running: Replica[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'killed-role-'));
    cluster = await start();
    const { client } = cluster;
    await installReservations(client);
    for (const name of nodes) {
      await addNode(client, name);
      await addAgent(client, name);
      await report(client, name, hardwareOf(name));
    }
    operator = await startOperator({ kubeconfig: cluster.kubeconfig });
    await writeFile(join(directory, 'inventory-token'), operator.token);
    tokens = await clusterTokens();
    token = await tokens.issue('admin');
    await replenish();
  });

  afterAll(async () => {
    for (const replica of running) await replica.end();
    await operator?.stop();
    await tokens?.end();
    await cluster?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function startReplica(): Promise<Replica> {
    const inventory = [
      `--cluster-inventory-address=${operator.served.grpc}`,
      `--cluster-inventory-token-file=${directory}/inventory-token`,
    ];
    const args = [...inventory, ...tokens.args, ...settings];
    const role = await startFastRole({ role: 'cluster', kubeconfig: cluster.kubeconfig, times: pace, args });
    const channel = openRpcChannel({ address: role.grpc, tls: tokens.tls, token: () => token, tries: 1 });
    const end = async (): Promise<void> => {
      channel.close();
      await role.kill();
    };
    return { role, client: channel.client(ReservationService), end };
  }

  /** Two, as they are deployed. */
  async function replenish(): Promise<void> {
    while (running.length < 2) running.push(await startReplica());
  }

  /** Dies with what it was asked. */
  async function killLeader(): Promise<void> {
    const leader = await vi.waitFor(async () => {
      for (const replica of running) if ((await replica.client.getStatus({})).isLeader) return replica;
      throw new Error('nobody leads');
    }, patience);
    await leader.role.kill();
    running.splice(running.indexOf(leader), 1);
    await leader.end();
  }

  const lease = () => cluster.client.get(kinds.leases, { namespace: 'kube-system', name: 'quartermaster-cluster' });
  const stored = async (): Promise<readonly Reservation[]> => (await cluster.client.list(reservationType)).items;
  const uids = async () =>
    Object.fromEntries(
      (await stored()).map(({ metadata, spec, status }) => [spec.order.dseq, status?.confirmed ? metadata?.uid : 'not confirmed']),
    );

  /** Places on which more was promised than there is, at any moment that the server had. */
  function watchOversold(): readonly string[] {
    const promised = new Map<string, ReturnType<typeof takenBy>>();
    const oversold: string[] = [];
    const cache = startCache(cluster.client, {
      type: reservationType,
      project: (reservation: Reservation) => (reservation.status?.confirmed === true ? takenBy(reservation) : []),
    });
    const look = (uid: string, taken: ReturnType<typeof takenBy>): void => {
      promised.set(uid, taken);
      for (const [node, all] of Map.groupBy([...promised.values()].flat(), (each) => each.node)) {
        const cpu = all.reduce((sum, each) => sum + each.cpu, 0);
        const taking = all.reduce((sum, each) => sum + each.cards, 0);
        if (cpu > capacity.cpu || taking > capacity.cards) oversold.push(`${node}: ${cpu}m of CPU and ${taking} cards`);
      }
    };
    cache.subscribe({
      added: ({ uid, value }) => look(uid, value),
      updated: ({ uid, value }) => look(uid, value),
      deleted: ({ uid }) => look(uid, []),
    });
    onTestFinished(() => cache.stop());
    return oversold;
  }

  /** One caller after another, of this replica or that one, until it is known what became of it. */
  async function known<T>(ask: (client: Replica['client']) => Promise<T>, random: Random, failed: () => void): Promise<T> {
    return await vi.waitFor(async () => {
      const replica = running[Math.floor(random.next() * running.length)];
      if (replica === undefined) throw new StatusError('unavailable', 'there is no replica');
      try {
        return await ask(replica.client);
      } catch (thrown) {
        failed();
        throw thrown;
      }
    }, patience);
  }

  it.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    `keeps what it promised, and another one promises no more than what is left once the lease ran out (%i of ${rounds})`,
    async (round) => {
      const oversold = watchOversold();
      const promises = new Map<number, string>(); // dseq -> uid
      const { uid: leaseUid } = (await lease()).metadata ?? {};
      const counts = { asking: 0, answered: 0, refused: 0, askingAtDeath: 0, failedAfterDeath: 0 };
      const killAfter = 4 + Math.floor(seededRandom(round).next() * 12);
      let dying: Promise<void> | undefined;
      const failed = (): void => {
        if (dying !== undefined) counts.failedAfterDeath += 1;
      };
      const reserve = async (dseq: number, random: Random): Promise<string> => {
        const request = requests[Math.floor(random.next() * requests.length)];
        counts.asking += 1;
        const answer = await known(
          async (client) => {
            const { outcome } = await client.reserve({ order: orderOf(dseq), request });
            if (outcome.case === 'reservation') return outcome.value.uid;
            if (outcome.case === 'refusal' && outcome.value.kind === RefusalKind.DOES_NOT_FIT) return '';
            throw new StatusError('unavailable', JSON.stringify(outcome.value?.reasons));
          },
          random,
          failed,
        );
        counts.asking -= 1;
        counts.answered += 1;
        if (counts.answered === killAfter) {
          counts.askingAtDeath = counts.asking;
          dying = killLeader();
        }
        return answer;
      };
      const call = async (caller: number): Promise<void> => {
        const random = seededRandom(round * callers + caller);
        for (let index = 0; index < ordersOfCaller; index += 1) {
          const dseq = (round * callers + caller) * ordersOfCaller + index;
          const uid = await reserve(dseq, random);
          if (uid === '') counts.refused += 1;
          else if (random.next() < 0.6) promises.set(dseq, uid);
          else await known((client) => client.unreserve({ order: orderOf(dseq), uid }), random, failed);
        }
      };
      await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
      await dying;
      // It died in the middle of it, and there was too little for all.
      expect(counts.askingAtDeath).toBeGreaterThan(0);
      expect(counts.failedAfterDeath).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(0);
      // Nothing promised is lost, and nothing that nobody was promised is left.
      await expect.poll(uids, patience).toEqual(Object.fromEntries(promises));
      expect((await lease()).metadata?.uid).toBe(leaseUid);
      const replenished = replenish();
      const cpu = async () => (await running[0]?.client.getStatus({}))?.availability?.cpu;
      const taken = (await stored()).flatMap(takenBy).reduce((sum, each) => sum + each.cpu, 0);
      const all = nodes.length * capacity.cpu;
      await expect.poll(cpu, patience).toMatchObject({ pending: BigInt(taken), available: BigInt(all - taken), overcommitted: 0n });
      const random = seededRandom(round);
      for (const [dseq, uid] of promises)
        await known(
          (client) => client.unreserve({ order: orderOf(dseq), uid }),
          random,
          () => undefined,
        );
      expect(await stored()).toEqual([]);
      await expect.poll(cpu, patience).toMatchObject({ pending: 0n, available: BigInt(all) });
      await replenished;
      expect(oversold).toEqual([]);
    },
  );
});

const takenBy = ({ spec }: Reservation) =>
  spec.plan.units.flatMap((unit) => unit.replicas.map(({ node, cards: of }) => ({ node, cpu: unit.cpuMillis, cards: of?.count ?? 0 })));
