import { type Source, sourceOf } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import type { CacheOpener, KubeWriter } from '@quartermaster/kube';
import type { LeaseId } from '../model/lease.ts';
import { orderName } from '../reservations/order-name.ts';
import { claimName } from './claim.ts';
import { ClaimObjects, type ClaimReader } from './claim-objects.ts';
import { type Answer, heldAnswer, nextStep, obstacleBeside } from './claim-rules.ts';
import { ClaimView } from './claim-view.ts';
import { claimedName } from './claimed-name.ts';
import type { ClaimedName, HostnameBook, HostnameClaims, HostnameGrant, WantedHostname } from './hostname-book.ts';
import type { HostnameRules } from './hostname-rules.ts';
import { type JudgedHostname, judgeWanted } from './judge-wanted.ts';
import { NameWaiters } from './name-waiters.ts';
import { TermClaims } from './term-claims.ts';

export interface ClaimStoreOptions {
  readonly reader: ClaimReader;
  readonly caches: CacheOpener;
  readonly rules: HostnameRules;
  /** hostname-cool-down */
  readonly coolDownMs: number;
  /** hostnames-per-owner */
  readonly namesPerOwner: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Who has which hostname: on every replica as the API server has it, on the leader with what it has just written. */
export class ClaimStore implements HostnameBook {
  /** Names of leases: of those whose claims change, and of those that did not get the name. */
  readonly source: Source;
  readonly #options: ClaimStoreOptions;
  readonly #view: ClaimView;
  readonly #waiters = new NameWaiters();

  constructor(options: ClaimStoreOptions) {
    this.#options = options;
    this.#view = new ClaimView(options.caches);
    this.source = sourceOf(this.#view.cache, ({ value }) => {
      if (value.state === 'Parent') return [];
      const woken = this.#waiters.wokenBy(value);
      return value.lease === '' ? woken : [value.lease, ...woken];
    });
  }

  /** Why it is not what there is; undefined while the server is followed. */
  problem(): string | undefined {
    const { absent, synced } = this.#view.cache.status();
    if (absent) return 'the cluster does not know the kind HostnameClaim: apply what `quartermaster manifests service-cluster` prints';
    if (!synced) return 'the hostnames of the cluster have not been read yet: ask again in a moment';
    return this.#view.cache.stale()?.reason;
  }

  check(lease: LeaseId, wanted: readonly WantedHostname[]): readonly HostnameGrant[] {
    const judged = judgeWanted(lease, wanted, { ...this.#options, view: this.#view });
    return judged.map((each) => ({ ...each.wanted, ...(each.refusal ?? this.#answer(lease, each)) }));
  }

  heldBy(leaseName: string): readonly WantedHostname[] {
    const held = this.#view.ofLease(leaseName).filter(({ state }) => state === 'Held');
    return held.map(({ hostname, service, externalPort, isStatic }) => ({ hostname, service, externalPort, isStatic }));
  }

  holderOf(hostname: string): string | undefined {
    const claim = this.#view.get(claimName(hostname));
    return claim?.state === 'Held' ? claim.lease : undefined;
  }

  all(): readonly ClaimedName[] {
    return [...this.#view.all()].flatMap((claim) => (claim.state === 'Parent' ? [] : [claimedName(claim)]));
  }

  /** The writes of one term; `signal` is its own. */
  claimsBy(writer: Pick<KubeWriter, 'create' | 'replace' | 'delete'>, signal?: AbortSignal): HostnameClaims {
    const { reader, rules, coolDownMs, namesPerOwner, clock } = this.#options;
    const objects = new ClaimObjects(reader, writer, this.#view);
    return new TermClaims({ view: this.#view, objects, waiters: this.#waiters, rules, coolDownMs, namesPerOwner, clock, signal });
  }

  async stop(): Promise<void> {
    await this.#view.cache.stop();
  }

  #answer(lease: LeaseId, { wanted }: JudgedHostname): Answer {
    const { absent, synced } = this.#view.cache.status();
    if (absent || !synced) return { state: 'waiting', code: 'HostnamesUnknown', message: this.problem() ?? '' };
    const at = { now: this.#options.clock.now(), coolDownMs: this.#options.coolDownMs };
    const { owner } = lease;
    const { hostname, service, externalPort, isStatic } = wanted;
    const asker = { owner, lease: orderName(lease), service, externalPort, isStatic };
    const step = nextStep(hostname, this.#view.get(claimName(hostname)), asker, at, { moves: false });
    if (step.kind === 'answer') return step.answer;
    if (isStatic || (step.kind === 'write' && !step.isNew)) return heldAnswer;
    return obstacleBeside(hostname, this.#view.beside(hostname), owner, at) ?? heldAnswer;
  }
}
