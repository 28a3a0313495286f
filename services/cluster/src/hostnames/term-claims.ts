import { type Clock, defineSteps, limit, StatusError } from '@quartermaster/kernel';
import type { LeaseId } from '../model/lease.ts';
import { orderName } from '../reservations/order-name.ts';
import { type Claim, claimName, isWildcard, parentName, parentOf } from './claim.ts';
import { type ClaimObjects, isOvertaken } from './claim-objects.ts';
import {
  type Answer,
  type Asker,
  beyondLimit,
  givenBack,
  heldContent,
  type Moment,
  nextRecord,
  nextStep,
  obstacleBeside,
} from './claim-rules.ts';
import type { ClaimView } from './claim-view.ts';
import { claimedName } from './claimed-name.ts';
import type { ClaimedName, HostnameClaims, HostnameGrant, WantedHostname } from './hostname-book.ts';
import type { HostnameRules } from './hostname-rules.ts';
import { judgeWanted } from './judge-wanted.ts';
import type { NameWaiters } from './name-waiters.ts';
import { isRefusal, normalHostname } from './normal-hostname.ts';

export interface TermClaimsOptions {
  readonly view: ClaimView;
  readonly objects: ClaimObjects;
  readonly waiters: NameWaiters;
  readonly rules: HostnameRules;
  readonly coolDownMs: number;
  readonly namesPerOwner: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Of the term. */
  readonly signal?: AbortSignal | undefined;
}

/** The writes of the protocol, each of which may be the last of a process: begun, compared, held; handed to another lease or port; given back. */
const steps = defineSteps('hostname', ['claimed', 'compared', 'held', 'moved', 'released']);
/** Each try fails because somebody else got on with the same name. */
const maxTries = 20;
/** As many claims below one parent may overtake this one. */
const maxRecordTries = 100;
/** How long what is not finished is left to whoever works on it. */
const unfinishedMs = 60_000;
const sweptAtOnce = 8;

/** The writes of one term: claim-rules.ts says why they give each name one owner. What fails half way is found and finished by asking again. */
export class TermClaims implements HostnameClaims {
  readonly #options: TermClaimsOptions;
  readonly #turns = new Map<string, Promise<void>>(); // parent domain -> when the last that writes its record is done
  readonly #underWay = new Map<string, string>(); // hostname that is being written -> its new owner
  #isRead: Promise<void> | undefined;

  constructor(options: TermClaimsOptions) {
    this.#options = options;
  }

  async reserve(lease: LeaseId, wanted: readonly WantedHostname[], signal: AbortSignal): Promise<readonly HostnameGrant[]> {
    await this.#readOnce();
    const { waiters } = this.#options;
    const grants: HostnameGrant[] = [];
    const waitsFor: string[] = [];
    for (const { wanted: each, refusal } of this.#judge(lease, wanted)) {
      const { hostname } = each;
      const answer = refusal ?? (await this.#settle(hostname, askerOf(lease, each), { moves: false }, signal));
      grants.push({ ...each, ...answer });
      if (answer !== refusal && answer.state !== 'held') waitsFor.push(hostname);
    }
    waiters.set(orderName(lease), waitsFor);
    return grants;
  }

  async release(lease: LeaseId, keep: readonly WantedHostname[], signal: AbortSignal): Promise<void> {
    await this.#readOnce();
    const { view, waiters } = this.#options;
    const name = orderName(lease);
    const kept = new Set(keep.flatMap(({ hostname }) => normalNames(hostname)));
    if (keep.length === 0) waiters.set(name, []);
    for (const claim of view.ofLease(name))
      if (!kept.has(claim.hostname)) await this.#dismiss(claim, ({ lease: of }) => of === name, signal);
  }

  async transfer(to: LeaseId, wanted: WantedHostname, signal: AbortSignal): Promise<ClaimedName> {
    await this.#readOnce();
    const [{ wanted: named, refusal } = { wanted }] = this.#judge(to, [wanted]);
    const { hostname } = named;
    const answer = refusal ?? (await this.#settle(hostname, askerOf(to, wanted), { moves: true }, signal));
    const claim = this.#options.view.get(claimName(hostname));
    if (answer.state === 'held' && claim !== undefined) return claimedName(claim);
    throw new StatusError(
      answer.state === 'refused' ? 'failed_precondition' : 'aborted',
      `hostname cannot be transferred: ${answer.message}`,
    );
  }

  async sweep(signal: AbortSignal): Promise<void> {
    await this.#readOnce();
    const { view } = this.#options;
    const limited = limit(sweptAtOnce);
    const over = [...view.all()].filter((claim) => this.#isOver(claim));
    await Promise.all(
      over.map((claim) => limited(() => (claim.state === 'Parent' ? this.#sweepRecord(claim, signal) : this.#sweepClaim(claim, signal)))),
    );
  }

  /** One step after another, each from what there is. */
  async #settle(hostname: string, asker: Asker, mode: { readonly moves: boolean }, signal: AbortSignal): Promise<Answer> {
    const { view, objects } = this.#options;
    const name = claimName(hostname);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const claim = view.get(name);
      const step = nextStep(hostname, claim, asker, this.#moment(), mode);
      if (step.kind === 'answer') return step.answer;
      try {
        if (step.kind === 'write') {
          // What is seen to fail is not begun: it would be written and taken back each time.
          const inTheWay = step.isNew ? (this.#beyond(hostname, claim, asker) ?? this.#seenBeside(hostname, asker)) : undefined;
          if (inTheWay !== undefined) return inTheWay;
          if (step.isNew && !asker.isStatic) this.#underWay.set(hostname, asker.owner);
          await objects.write(claim, step.content, signal).finally(() => this.#underWay.delete(hostname));
          await steps.reached(step.isNew ? 'claimed' : 'moved');
        } else if (claim !== undefined) {
          const inTheWay = await this.#finish(claim, asker, signal);
          if (inTheWay !== undefined) return inTheWay;
        }
      } catch (thrown) {
        if (!isOvertaken(thrown)) throw thrown;
        await objects.look(name, signal);
      }
    }
    throw new StatusError('aborted', `hostname "${hostname}" changes hands too often: ask again`);
  }

  /** Makes a claim one that can be relied on, or says what is in its way. Without an answer it has to be looked at again. */
  async #finish(claim: Claim, asker: Asker, signal: AbortSignal): Promise<Answer | undefined> {
    const { objects, clock } = this.#options;
    // Names below the provider's domain are covered by no wildcard: tenants can claim none there.
    const found = asker.isStatic ? 'clear' : await this.#inTurn(parentOf(claim.hostname), () => this.#compare(claim, signal));
    if (found === 'moved') {
      await objects.look(claim.name, signal);
      return undefined;
    }
    if (found === 'clear') {
      await objects.write(claim, heldContent(claim, asker, clock.now()), signal);
      await steps.reached('held');
      return undefined;
    }
    // A wildcard stays: the names that are just being claimed decide first, and then are in its way or gone. If both gave way, neither would ever get on.
    if (found.state !== 'waiting' || !isWildcard(claim.hostname)) await this.#giveBack(claim, signal);
    return found;
  }

  /** Between a wildcard and the names below the same parent. */
  async #compare({ name, hostname, owner, resourceVersion }: Claim, signal: AbortSignal): Promise<Answer | 'clear' | 'moved'> {
    const { view, objects } = this.#options;
    const parent = parentOf(hostname);
    for (let tries = 0; tries < maxRecordTries; tries += 1) {
      const record = view.get(parentName(parent));
      let beside: readonly Claim[] = [];
      if (isWildcard(hostname)) {
        beside = await objects.listBelow(parent, signal);
        if (beside.find((each) => each.name === name)?.resourceVersion !== resourceVersion) return 'moved';
      } else if (record !== undefined && record.owner !== '' && record.owner !== owner) {
        const wildcard = await objects.look(claimName(`*.${parent}`), signal);
        beside = wildcard === undefined ? [] : [wildcard];
      }
      const inTheWay = obstacleBeside(hostname, beside, owner, this.#moment());
      if (inTheWay !== undefined) return inTheWay;
      try {
        await objects.write(record, nextRecord(parent, record, hostname, owner, this.#moment().now), signal);
        await steps.reached('compared');
        return 'clear';
      } catch (thrown) {
        if (!isOvertaken(thrown)) throw thrown;
        await objects.look(parentName(parent), signal);
      }
    }
    throw new StatusError('aborted', `too much is claimed below "${parent}" at once: ask again`);
  }

  /** Once more for each name: other leases of the owner may have got theirs since the manifest was judged. */
  #beyond(hostname: string, claim: Claim | undefined, { owner, isStatic }: Asker): Answer | undefined {
    const { view, namesPerOwner } = this.#options;
    // What several leases of one owner claim at once counts from before it is written.
    const begun = [...this.#underWay].filter(([name, by]) => by === owner && view.get(claimName(name))?.owner !== owner);
    const count = view.countOf(owner) + begun.length;
    return isStatic || claim?.owner === owner || count < namesPerOwner ? undefined : beyondLimit(hostname, namesPerOwner);
  }

  /** As the copy has it: before anything is written. */
  #seenBeside(hostname: string, { owner, isStatic }: Asker): Answer | undefined {
    return isStatic ? undefined : obstacleBeside(hostname, this.#options.view.beside(hostname), owner, this.#moment());
  }

  /** Gives it back in whatever state it is, as long as it is still what it was to be given back for. */
  async #dismiss(seen: Claim, isStill: (claim: Claim) => boolean, signal: AbortSignal): Promise<void> {
    let claim: Claim | undefined = seen;
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (claim === undefined || claim.state === 'Released' || !isStill(claim)) return;
      try {
        await this.#giveBack(claim, signal);
        return;
      } catch (thrown) {
        if (!isOvertaken(thrown)) throw thrown;
        claim = await this.#options.objects.look(seen.name, signal);
      }
    }
    throw new StatusError('aborted', `hostname "${seen.hostname}" changes too often to be given back: ask again`);
  }

  async #giveBack(claim: Claim, signal: AbortSignal): Promise<void> {
    const content = givenBack(claim, this.#moment());
    if (content === undefined) await this.#options.objects.delete(claim, signal);
    else await this.#options.objects.write(claim, content, signal);
    await steps.reached('released');
  }

  #isOver(claim: Claim): boolean {
    const { view, waiters, coolDownMs, clock } = this.#options;
    const age = clock.now() - claim.since;
    switch (claim.state) {
      case 'Held':
        return false;
      case 'Released':
        return age >= coolDownMs;
      case 'Claiming':
        return age >= unfinishedMs && !waiters.isWaiting(claim.lease, claim.hostname);
      case 'Parent':
        return age >= unfinishedMs && view.below(claim.hostname).length === 0;
    }
  }

  async #sweepClaim(claim: Claim, signal: AbortSignal): Promise<void> {
    await this.#unlessOvertaken(claim, signal, () =>
      claim.state === 'Released' ? this.#options.objects.delete(claim, signal) : this.#giveBack(claim, signal),
    );
  }

  /** The list comes after the version that is deleted: what is claimed after the list changes the record first. */
  async #sweepRecord(record: Claim, signal: AbortSignal): Promise<void> {
    const { objects } = this.#options;
    if ((await objects.listBelow(record.hostname, signal)).length > 0) return;
    await this.#unlessOvertaken(record, signal, () => objects.delete(record, signal));
  }

  async #unlessOvertaken({ name }: Claim, signal: AbortSignal, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isOvertaken(thrown)) throw thrown;
      await this.#options.objects.look(name, signal);
    }
  }

  #judge(lease: LeaseId, wanted: readonly WantedHostname[]) {
    return judgeWanted(lease, wanted, this.#options);
  }

  #moment(): Moment {
    return { now: this.#options.clock.now(), coolDownMs: this.#options.coolDownMs };
  }

  /** What a former leader wrote last may be missing in what was watched so far. */
  async #readOnce(): Promise<void> {
    this.#isRead ??= this.#options.objects.listAll(this.#options.signal);
    try {
      await this.#isRead;
    } catch (thrown) {
      this.#isRead = undefined;
      throw thrown;
    }
  }

  /** Claims of one process below one parent do not get in each other's way. */
  async #inTurn<T>(parent: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(parent);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#turns.set(parent, done);
    try {
      await before;
      return await work();
    } finally {
      if (this.#turns.get(parent) === done) this.#turns.delete(parent);
      resolve();
    }
  }
}

function askerOf(lease: LeaseId, { service, externalPort, isStatic }: WantedHostname): Asker {
  return { owner: lease.owner, lease: orderName(lease), service, externalPort, isStatic };
}

function normalNames(hostname: string): readonly string[] {
  const normal = normalHostname(hostname);
  return isRefusal(normal) ? [] : [normal.name];
}
