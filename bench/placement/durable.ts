import { readFile } from 'node:fs/promises';
import { contractsFolder } from '@quartermaster/api/manifests';
import { reservationType } from '@quartermaster/api/reservation';
import { orderName, ReservationLeader, type Reserver } from '@quartermaster/cluster';
import { bookOf, decideBy, isInNeed, missingReplicas, needsNewPlan, noLimits, renewedPlan, specOf } from '@quartermaster/cluster/testing';
import { Controller } from '@quartermaster/controller';
import { limit, seededRandom, silentLog, sleep, systemClock, systemRandom } from '@quartermaster/kernel';
import { cacheOpener, FencedWriter, KubeClient, kinds, LeaderElection } from '@quartermaster/kube';
import { parse } from 'yaml';
import { startControlPlane, stopProcesses } from '../real-control-plane.ts';
import { type Measure, measure } from '../report.ts';
import { takeTurns } from '../turns.ts';
import { emptyNodes, oneCard } from './sample-cluster.ts';

type Leading = Parameters<ReservationLeader['lead']>[0];
type Duty = Parameters<Leading['duty']>[1];
type Led = Parameters<Leading['controller']>[0];
type Term = Parameters<Duty>[0];

/** Of a round. There is room for them: eight cards on each of four nodes of five. */
const orders = 400;
const nodes = emptyNodes(300, 3);
/** Callers that ask at the same time, each for its next order once it has the answer for the one before. */
const callers = 64;
const context = { clock: systemClock, random: systemRandom, log: silentLog };
const owner = 'akash1bench';
const lifetimeMs = 3_600_000;

const orderOf = (round: number, index: number) => ({ owner, dseq: BigInt(round * orders + index + 1), gseq: 1, oseq: 1 });
const all = Array.from({ length: orders }, (_, index) => index);

/** Promises a second on the real API server, whose etcd has written each to disk before it answers, as it does in production. */
export async function durableMeasure(rounds: number): Promise<Measure> {
  const controlPlane = await startControlPlane({ etcdArgs: ['--unsafe-no-fsync=false'] });
  const client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  try {
    await client.create(kinds.customResourceDefinitions, parse(await readFile(new URL('reservation.yaml', contractsFolder), 'utf8')));
    while ((await client.list(reservationType, { limit: 1 }).catch(() => undefined)) === undefined) await sleep(systemClock, 50);
    const sides = { ours: (round: number) => confirmed(client, round), baseline: (round: number) => oneAtATime(client, round) };
    // The first round has the code compiled and is not counted.
    await takeTurns(1, sides);
    return measure({ what: 'durable', ...(await takeTurns(rounds, sides)), unit: '/s', better: 'higher' });
  } finally {
    await client.close();
    await stopProcesses([controlPlane.process]);
  }
}

/** The leader of the service: decided in memory, two writes for each promise, many orders at once. */
async function confirmed(client: KubeClient, round: number): Promise<number> {
  const book = bookOf(nodes);
  const leader = new ReservationLeader({
    client,
    caches: cacheOpener(client, context),
    book: Object.assign(book, {
      needsNewPlan: () => needsNewPlan(book),
      isInNeed: (name: string) => isInNeed(book, name),
      missingReplicas: (name: string) => missingReplicas(book, name),
      renewedPlan: (name: string) => renewedPlan(book, name),
    }),
    decide: decideBy(book, { limits: noLimits }),
    lifetimeMs,
    ...context,
  });
  const ending = new AbortController();
  const running = lead(client, leader, ending.signal);
  while (leader.reserver === undefined) await sleep(systemClock, 10);
  const { reserver } = leader;
  const random = seededRandom(round);
  const requests = all.map(() => oneCard(random));
  const atOnce = limit(callers);
  const begin = performance.now();
  await Promise.all(requests.map((request, index) => atOnce(() => promise(reserver, { order: orderOf(round, index), owner, request }))));
  const seconds = (performance.now() - begin) / 1000;
  await Promise.all(all.map((index) => atOnce(() => reserver.unreserve(orderOf(round, index)))));
  ending.abort();
  await running;
  await leader.stop();
  return orders / seconds;
}

async function promise(reserver: Reserver, asked: Parameters<Reserver['reserve']>[0]): Promise<void> {
  const answer = await reserver.reserve(asked);
  if (answer.kind !== 'reserved' || !answer.reservation.isConfirmed) throw new Error(`there was no promise: ${JSON.stringify(answer)}`);
}

/** Elected, and with everything that a leader does beside. */
async function lead(client: KubeClient, leader: ReservationLeader, signal: AbortSignal): Promise<void> {
  const duties: ((term: Term) => Promise<unknown>)[] = [];
  leader.lead({
    duty: (_name, run) => void duties.push(run),
    controller: ({ name: _, reconciler, ...options }: Led) =>
      void duties.push((term) => new Controller({ ...options, ...context, reconciler: reconciler(term) }).run(term.signal)),
  });
  const election = new LeaderElection({ client, namespace: 'default', name: 'cluster', identity: 'bench', ...context });
  await election.run(async (leadership) => {
    const term = { leadership, signal: leadership.signal, writer: new FencedWriter(client, leadership) } as Term;
    await Promise.all(
      duties.map((duty) => duty(term).catch((thrown: unknown) => (term.signal.aborted ? undefined : Promise.reject(thrown)))),
    );
  }, signal);
}

/** A plain design: one lock around everything, so that a promise is stored, by the same two writes, before the next order is looked at. */
async function oneAtATime(client: KubeClient, round: number): Promise<number> {
  const book = bookOf(nodes);
  const decide = decideBy(book, { limits: noLimits });
  const random = seededRandom(round);
  const requests = all.map(() => oneCard(random));
  const begin = performance.now();
  for (const [index, request] of requests.entries()) {
    const order = orderOf(round, index);
    const name = orderName(order);
    const decision = decide(request, owner);
    if (decision.kind !== 'plan') throw new Error(`there was no room: ${JSON.stringify(decision)}`);
    const now = systemClock.now();
    const promised = { order, owner, request, plan: decision.plan, expiresAt: now + lifetimeMs, term: 1 };
    const object = { metadata: { name }, spec: specOf(promised) };
    const { metadata: made } = await client.create(reservationType, object, { fieldValidation: 'Strict' });
    const body = { metadata: { resourceVersion: made?.resourceVersion }, status: { confirmed: true, phase: 'Pending' } };
    const { metadata } = await client.patch(reservationType, { name }, { kind: 'merge', body }, { subresource: 'status' });
    const { uid = '', resourceVersion = '' } = metadata ?? {};
    book.setReservation({ ...promised, name, uid, resourceVersion, phase: 'pending', isConfirmed: true, createdAt: now });
  }
  const seconds = (performance.now() - begin) / 1000;
  const atOnce = limit(callers);
  await Promise.all(all.map((index) => atOnce(() => client.delete(reservationType, { name: orderName(orderOf(round, index)) }))));
  return orders / seconds;
}
