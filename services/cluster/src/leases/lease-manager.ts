import { again, done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { defineSteps, messageOf } from '@quartermaster/kernel';
import { isFailure, kinds } from '@quartermaster/kube';
import type { SeenLeasePod } from '../health/lease-health.ts';
import { seenLeasePod } from '../health/pod-sight.ts';
import { type LeaseRecord, refusedByCluster } from '../known-leases/lease-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import type { LeaseId } from '../model/lease.ts';
import { namespaceLabel } from '../model/lease-labels.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import type { Reservation } from '../model/reservation.ts';
import { isBothPlans } from '../placement/both-plans.ts';
import { orderName } from '../reservations/order-name.ts';
import type { OrderTurns } from '../reservations/order-turns.ts';
import { endLease } from './end-lease.ts';
import { ManifestFetcher } from './fetch-manifest.ts';
import { giveNode } from './give-node.ts';
import { type KeptLease, keepLease } from './keep-lease.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { mayRun } from './lease-runs.ts';
import { advance, type LeaseEvent } from './lease-transitions.ts';
import { isOurs } from './own-namespace.ts';
import { type PodPlacement, placePods } from './place-pods.ts';
import { healthEvent, healthOf, placeSight } from './seen-health.ts';

const placing = defineSteps('place-pod', ['assigned', 'replaced']);
const longestWaitMs = 60_000;
/** What is on its way need not tell when it is there. */
const underWayMs = 2_000;
const seeAgainMs = 5_000;

/**
 * Takes each lease on its way: reads what is so, and does what follows from it. Of one term. What the market says of the lease decides whether it ends; as long as it says
 * nothing, the lease goes on as it is.
 */
export class LeaseManager implements Reconciler {
  readonly name = 'leases';
  readonly #context: LeaseContext;
  readonly #turns: OrderTurns;
  readonly #fetcher: ManifestFetcher;

  constructor(context: LeaseContext, turns: OrderTurns) {
    this.#context = context;
    this.#fetcher = new ManifestFetcher(context);
    this.#turns = turns;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    return await this.#turns.run(name, () => this.#attend(name, signal));
  }

  async #attend(name: string, signal: AbortSignal): Promise<Outcome> {
    const { records, writer, view } = this.#context;
    const standing = records.of(name);
    if (standing?.state === 'Complete') {
      this.#fetcher.forget(name);
      return done;
    }
    const market = await this.#marketState(name, standing, signal);
    const found = this.#foundLease(name);
    const lease = leaseOf(view.of(name).lease, standing) ?? found;
    // A closed lease of which something runs has lost its record: it needs one to be taken away. One of which the market does not tell now needs one to go on.
    const isLost = market === 'closed' ? mayRun(this.#context, name) : found !== undefined;
    const isWanted = standing !== undefined || market === 'active' || isLost;
    if (lease === undefined || !isWanted) return done;
    const record = standing ?? (await records.ensure(writer, name, lease, leaseNamespace(lease)));
    const at: LeaseAt = { name, lease, record, signal };
    // What the market once said of its end is recorded with it, and is for good.
    if (record.closingAt !== undefined) return await endLease(this.#context, at);
    return await this.#keep(market === 'active' ? await this.#won(at) : at, market);
  }

  /** `unknown` where the market does not know it, was not asked yet or cannot be asked: that ends nothing. */
  async #marketState(name: string, record: LeaseRecord | undefined, signal: AbortSignal): Promise<'active' | 'closed' | 'unknown'> {
    const { view, log } = this.#context;
    const seen = view.of(name);
    if (seen.lease !== undefined) return seen.lease.state;
    const isReadable = view.problem === undefined && view.status().readAt !== undefined;
    if (record === undefined || seen.isAsked || !isReadable) return 'unknown';
    try {
      await view.ask(record.lease, signal);
    } catch (thrown) {
      log.debug('the market cannot be asked for a lease', { lease: name, error: messageOf(thrown) });
    }
    return view.of(name).lease?.state ?? 'unknown';
  }

  /** What the cluster itself says of a lease: the namespace that is on record with what is reserved for it, where its seal says that it was made for the lease. */
  #foundLease(name: string): LeaseId | undefined {
    const { book, namespaces, manifests } = this.#context;
    const recorded = book.reservation(name)?.leaseNamespace;
    const seen = recorded && namespaces.get(recorded.name);
    if (seen?.live.uid !== recorded?.uid || typeof seen?.lease !== 'object' || orderName(seen.lease) !== name) return undefined;
    return isOurs(seen, undefined, manifests.saltOf(seen.live.name)) ? seen.lease : undefined;
  }

  async #won(at: LeaseAt): Promise<LeaseAt> {
    // The market may have said meanwhile that it is closed, and have taken it back.
    if (at.record.wonAt !== undefined && at.record.reason !== 'Closing') return at;
    return await this.#say(at, { kind: 'won' });
  }

  async #keep(at: LeaseAt, market: 'active' | 'closed' | 'unknown'): Promise<Outcome> {
    const { book, manifests, records, view } = this.#context;
    let unfetched: { readonly error: unknown } | undefined;
    let fetchAgainMs: number | undefined;
    if (market === 'active' && book.reservation(at.name) !== undefined)
      // What runs goes on as it is until the next one is there.
      fetchAgainMs = await this.#fetcher.fetch(at).catch((error: unknown) => void (unfetched = { error }));
    const stored = manifests.hasLostSecret(at.record.namespace) ? undefined : manifests.of(at.record.namespace);
    const current = { ...at, record: records.of(at.name) ?? at.record };
    // It goes on until its end was let through: a person may have to look at it first.
    const closing: LeaseEvent | undefined =
      market === 'closed' ? { kind: 'closing', why: view.of(at.name).lease?.reason ?? '' } : undefined;
    if (stored === undefined && closing !== undefined) await this.#say(current, closing);
    const isUnderWay = stored !== undefined && (await this.#run(current, stored, book.reservation(at.name), closing));
    if (unfetched !== undefined) throw unfetched.error;
    const record = records.of(at.name) ?? current.record;
    const waits = [longestWaitMs];
    if (fetchAgainMs !== undefined) waits.push(fetchAgainMs);
    if (isUnderWay) waits.push(underWayMs);
    // Nobody tells when everything is seen again.
    if (record.reason === 'NotSeen') waits.push(seeAgainMs);
    return again(Math.min(...waits));
  }

  /**
   * Has the lease run what is stored, and tells whether something is on its way. What one look finds is one write of its record, also where it does not get to its end. Of
   * one that is closing nothing else is told.
   */
  async #run(at: LeaseAt, stored: StoredManifest, reservation: Reservation | undefined, closing: LeaseEvent | undefined): Promise<boolean> {
    const { clock, records, writer, manifests, reserver } = this.#context;
    const heard: { readonly event: LeaseEvent; readonly at: number }[] = [];
    const advanced = (record: LeaseRecord): LeaseRecord => heard.reduce((before, each) => advance(before, each.event, each.at), record);
    const hear = (event: LeaseEvent): void => void heard.push({ event, at: clock.now() });
    let isUnderWay = false;
    try {
      if (at.record.manifestHash !== stored.hash) {
        // Whoever has just begun to lead may see an older one than what runs: it would go back, and forth again.
        if (at.record.manifestHash !== undefined && !(await manifests.isNewest(at.record.namespace, stored, at.signal))) return true;
        hear({ kind: 'manifest-accepted', hash: stored.hash });
      }
      // Without one place for each replica nothing can be made: the bid engine sees to it that there is a reservation, and the next plan is about to be written.
      const planned = reservation !== undefined && isActive(reservation) && !isBothPlans(reservation.plan) ? reservation : undefined;
      // What is followed may be an older plan, until whoever has just begun to lead has read what stands.
      isUnderWay = planned !== undefined && reserver() === undefined;
      if (planned !== undefined && !isUnderWay) {
        // Whatever becomes of the objects: what is made anew of those that are there must not wait for it.
        await this.#placePods(at, stored);
        const kept = await keepLease(this.#context, at, stored, planned);
        isUnderWay = kept.kind === 'under-way';
        if (kept.namespaceUid !== undefined) hear({ kind: 'placed', namespaceUid: kept.namespaceUid });
        if (kept.kind === 'deployed') {
          const { deployedAt, state } = advanced(at.record);
          if (deployedAt === undefined || state === 'Error') hear({ kind: 'deployed' });
        }
        hear(closing ?? this.#eventOf(kept, advanced(at.record), stored));
      } else if (closing !== undefined) hear(closing);
      else if (advanced(at.record).deployedAt !== undefined) hear(this.#healthEvent(advanced(at.record), stored));
      else if (reservation === undefined)
        hear({ kind: 'unhealthy', message: 'the lease has no reservation, so its objects cannot be created' });
    } catch (thrown) {
      if (!at.signal.aborted) hear(closing ?? this.#eventOfFailure(thrown, advanced(at.record), stored));
      throw thrown;
    } finally {
      await records.change(writer, at.name, advanced);
    }
    return isUnderWay;
  }

  async #placePods(at: LeaseAt, stored: StoredManifest): Promise<void> {
    const { group } = stored;
    const { book, caches, nodes, writer, reader } = this.#context;
    const plan = book.reservation(at.name)?.plan;
    const { namespace } = at.record;
    if (plan === undefined || isBothPlans(plan) || !this.#ownsNamespace(at, stored)) return;
    const sight = placeSight({ nodes, book });
    const place = (pods: readonly SeenLeasePod[]): PodPlacement => placePods(plan, group, pods, caches.claimsIn(namespace), sight);
    const seen = place(caches.podsIn(namespace));
    if (seen.assign.length === 0 && seen.replace.length === 0) return;
    // What is watched may be behind what was given last, here or by a former leader: two pods would get one place.
    const { items } = await reader.list(kinds.pods, { namespace, labelSelector: namespaceLabel, signal: at.signal });
    const { assign, replace } = place(items.map(seenLeasePod));
    const byUid = new Map(items.map((pod) => [pod.metadata?.uid, pod]));
    for (const { pod, node, unit } of assign) {
      await giveNode(writer, byUid.get(pod.uid), { name: node, unit, toleratedTaints: book.nodeTerms.toleratedTaints(node) }, at.signal);
      await placing.reached('assigned');
    }
    for (const { name, uid } of replace) {
      // As it was read: one that has got to a node since then stays.
      const resourceVersion = byUid.get(uid)?.metadata?.resourceVersion;
      await writer.delete(
        kinds.pods,
        { namespace, name },
        { preconditions: { uid, ...(resourceVersion && { resourceVersion }) }, signal: at.signal },
      );
      await placing.reached('replaced');
    }
  }

  /** As it is seen now: pods in a namespace that is another's, or says that it is, are left alone. */
  #ownsNamespace({ name, record }: LeaseAt, stored: StoredManifest): boolean {
    const seen = this.#context.namespaces.get(record.namespace);
    if (seen === undefined || typeof seen.lease !== 'object' || orderName(seen.lease) !== name) return false;
    return isOurs(seen, record, stored);
  }

  /** What its objects wait for, until they were made once and as long as nothing worse is seen. */
  #eventOf(kept: KeptLease, record: LeaseRecord, stored: StoredManifest): LeaseEvent {
    if (kept.kind === 'blocked') return { ...kept, isDown: this.#isDown(record, stored) };
    // Of one that was deployed, a leader that has just begun, and has not read everything yet, would record what is so for a moment.
    if (kept.kind !== 'under-way' || record.deployedAt !== undefined) return this.#healthEvent(record, stored);
    const { clock, settings } = this.#context;
    const isDown = this.#isDown(record, stored);
    const isLate = clock.now() - (record.manifestAt ?? Infinity) >= settings.deadlines.unhealthyTimeoutMs;
    return isDown && isLate ? { kind: 'unhealthy', message: kept.message } : { ...kept, isDown };
  }

  /** Whatever fails, how the lease is has to be told, and its deadline counts. Where trying again does not help, people have to know why. */
  #eventOfFailure(thrown: unknown, record: LeaseRecord, stored: StoredManifest): LeaseEvent {
    if (!isFailure(thrown, 'invalid', 'forbidden'))
      return this.#eventOf(
        { kind: 'under-way', message: 'not all objects of the lease could be created; this is retried' },
        record,
        stored,
      );
    const message = `the API server rejected an object of the lease: ${messageOf(thrown)}`;
    return { kind: 'blocked', reason: refusedByCluster, message, isDown: this.#isDown(record, stored) };
  }

  /** Whether replicas are seen to be missing now, however short a time it has had. */
  #isDown(record: LeaseRecord, stored: StoredManifest): boolean {
    const late = { ...record, deployedAt: 0, runningAt: undefined };
    return healthOf(this.#context, late, stored, this.#context.clock.now()).state === 'unhealthy';
  }

  #healthEvent(record: LeaseRecord, stored: StoredManifest): LeaseEvent {
    return healthEvent(healthOf(this.#context, record, stored, this.#context.clock.now()));
  }

  async #say(at: LeaseAt, event: LeaseEvent): Promise<LeaseAt> {
    const { records, writer, clock } = this.#context;
    const record = await records.change(writer, at.name, (before) => advance(before, event, clock.now()));
    return { ...at, record };
  }
}

/** A lease may be made of it: it was won, and its part of the cluster is promised. */
const isActive = ({ phase, isConfirmed }: Pick<Reservation, 'phase' | 'isConfirmed'>): boolean => phase === 'active' && isConfirmed;

function leaseOf(
  seen: { readonly order: Omit<LeaseId, 'provider'>; readonly provider: string } | undefined,
  record: LeaseRecord | undefined,
): LeaseId | undefined {
  if (record !== undefined) return record.lease;
  return seen && { ...seen.order, provider: seen.provider };
}
