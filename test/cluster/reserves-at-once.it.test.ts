import { contractsFolder } from '@quartermaster/api/manifests';
import { reservationType } from '@quartermaster/api/reservation';
import { type OrderId, orderName, type Request, type Reservation, type Reserver, type Unit } from '@quartermaster/cluster';
import {
  decideBy,
  Gi,
  gpus,
  heldBy,
  machines,
  needsNewPlan,
  overCommitted,
  ReservationBook,
  renewedPlan,
  roomsOf,
  SimulatedCluster,
  unit,
} from '@quartermaster/cluster/testing';
import { type Random, seededRandom } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { times } from '../support/soak.ts';
import { LossyWriter } from './lossy-writer.ts';
import { ReservingReplica } from './reserving-replica.ts';

const orders = 24;
const headroom = { cpuMillis: 500, memoryBytes: Gi / 2, persistentBytes: Gi, ports: 1, ips: 1 };
const limits = { most: 1_000, perOwner: 8, ownerShare: 0.9, share: 1 };
const portQuantity = 24;
const ports = { byNamespace: new Map<string, number>(), others: 1 };
const ips = { total: 6, free: 6, byNamespace: new Map<string, number>(), observedAt: 1 };

const whole = (random: Random, below: number): number => Math.floor(random.next() * below);
const pick = <T>(random: Random, values: readonly [T, ...T[]]): T => values[whole(random, values.length)] ?? values[0];

/** Of everything that can be asked for. */
function randomRequest(random: Random): Request {
  const volumes: (() => Unit['volumes'])[] = [
    () => [],
    () => [{ kind: 'ephemeral', name: 'tmp', bytes: (1 + whole(random, 3)) * Gi }],
    () => [{ kind: 'ram', name: 'shm', bytes: Gi }],
    () => [{ kind: 'persistent', name: 'data', class: pick(random, ['disk', 'local']), bytes: (1 + whole(random, 3)) * Gi }],
  ];
  const one = (id: number): Unit =>
    unit({
      id,
      count: 1 + whole(random, 2),
      cpuMillis: 250 * (1 + whole(random, 6)),
      memoryBytes: (1 + whole(random, 2)) * Gi,
      gpus: random.next() < 0.4 ? gpus(1 + whole(random, 2), pick(random, ['a100', 't4', '*'])) : undefined,
      volumes: volumes[whole(random, volumes.length)]?.() ?? [],
      randomPorts: whole(random, 3),
      leasedIps: random.next() < 0.2 ? ['front'] : [],
    });
  return { units: Array.from({ length: 1 + whole(random, 2) }, (_, at) => one(at + 1)) };
}

describe('orders of all kinds that are reserved and given back at once', () => {
  const server = withServer(startSimulatedServer);
  const totals = { reserved: 0, refused: 0, lost: 0, looks: 0 };

  beforeAll(async () => {
    const [definition = {}] = await readManifests(contractsFolder, ['reservation']);
    await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
    await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
  });

  const stored = async () => (await server().client.list(reservationType)).items;

  /** A cluster of three to six nodes, its book, and who writes in it. `oversold`: whoever was promised what is not there, at any moment. */
  async function start(random: Random) {
    const cluster = new SimulatedCluster();
    const size = 3 + whole(random, 4);
    for (let at = 0; at < size; at += 1) {
      const [first, ...others] = machines;
      if (first === undefined) throw new Error('there are no machines');
      cluster.machines.set(`node-${at}`, { machine: pick(random, [first, ...others]), uid: `uid-${at}`, isHeldBack: false });
    }
    const book = new ReservationBook({ headroom, nodePorts: portQuantity });
    book.setKnowledge({ protocol: 'deltas' });
    book.takeInventory(cluster.whole(1));
    book.setNodePorts(ports);
    book.setIpPool(ips);
    const oversold: string[] = [];
    const { nodes, classes, pods, claims } = cluster;
    const look = (): void => {
      const reservations = new Map(book.reservations().map((each) => [each.name, each]));
      const told = { headroom, portQuantity, nodes, classes, pods, claims, ports, ips, reservations };
      const held = [...reservations.values()].flatMap((each) => heldBy(told, each));
      oversold.push(...overCommitted(told, held, roomsOf(told, held)));
      totals.looks += 1;
    };
    const counted = {
      setReservation: (reservation: Reservation) => {
        book.setReservation(reservation);
        look();
      },
      removeReservation: (name: string) => book.removeReservation(name),
      reservation: (name: string) => book.reservation(name),
      reservations: () => book.reservations(),
      needsNewPlan: () => needsNewPlan(book),
      isInNeed: (name: string) => [...needsNewPlan(book)].includes(name),
      renewedPlan: (name: string) => renewedPlan(book, name),
      missingReplicas: () => undefined,
    };
    const lossy = new LossyWriter(server().client);
    lossy.onLoss = () => void (totals.lost += 1);
    const replica = new ReservingReplica({
      client: server().client,
      namespace: await server().namespace(),
      identity: 'one',
      counted: { book: counted, decide: decideBy(book, { limits }) },
      through: () => lossy,
      turns: { atOnce: 8, maxCalls: 1_000 },
    });
    onTestFinished(() => replica.stop());
    return { reserver: await vi.waitUntil(() => replica.reserver, patience), lossy, book, oversold };
  }

  /** The answer, once there is one: whoever is told that a fate is not known yet asks again. */
  async function known<T>(ask: () => Promise<T>): Promise<T> {
    return await vi.waitFor(ask, patience);
  }

  /** What it was promised in the end, or undefined. */
  async function order(reserver: Reserver, lossy: LossyWriter, id: OrderId, random: Random): Promise<Reservation | undefined> {
    const asked = { order: id, owner: id.owner, request: randomRequest(random) };
    const mayBeLost = (method: 'create' | 'patch' | 'delete'): void => {
      if (random.next() < 0.3) lossy.lose(method, pick(random, ['before', 'after']));
    };
    mayBeLost(pick(random, ['create', 'patch']));
    const answer = await known(() => reserver.reserve(asked));
    totals[answer.kind] += 1;
    if (answer.kind === 'refused') return undefined;
    if (random.next() < 0.6) return answer.reservation;
    mayBeLost('delete');
    await known(() => reserver.unreserve(id));
    // There may be room for something else now.
    const again = await known(() => reserver.reserve({ ...asked, request: randomRequest(random) }));
    totals[again.kind] += 1;
    return again.kind === 'refused' ? undefined : again.reservation;
  }

  const seeds = Array.from({ length: times(10, 500) }, (_, index) => index + 1);
  it.each(seeds)('are never promised more than there is (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { reserver, lossy, book, oversold } = await start(random);
    const ids = Array.from({ length: orders }, (_, at) => ({ owner: `akash1x${at % 3}`, dseq: BigInt(at + 1), gseq: 1, oseq: 1 }));
    const promises = await Promise.all(ids.map((id, at) => order(reserver, lossy, id, seededRandom(seed * orders + at))));
    expect(oversold).toEqual([]);
    // What was answered is what is stored and what is counted.
    const names = promises.flatMap((each) => (each === undefined ? [] : [`${each.name} ${each.uid}`])).toSorted();
    const objects = await stored();
    expect(objects.map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).toSorted()).toEqual(names);
    expect(objects.filter(({ status }) => status?.confirmed !== true)).toEqual([]);
    expect(book.reservations().map(({ name, uid }) => `${name} ${uid}`)).toEqual(names);
    for (const id of ids) if (book.reservation(orderName(id)) !== undefined) await known(() => reserver.unreserve(id));
    expect(await stored()).toEqual([]);
  });

  it('were promised, refused and lost often enough to tell', () => {
    const each = seeds.length;
    expect(totals.reserved).toBeGreaterThan(each * 5);
    expect(totals.refused).toBeGreaterThan(each * 5);
    expect(totals.lost).toBeGreaterThan(each);
    expect(totals.looks).toBeGreaterThan(totals.reserved);
  });
});
