import { bidDecisionType, type BidDecision as DecisionObject } from '@quartermaster/api/bid-decision';
import { type Source, sourceOf } from '@quartermaster/controller';
import { type Clock, type Log, limit, messageOf } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, isFailure, type KubeReader, type KubeWriter } from '@quartermaster/kube';
import { fieldManager } from '../model/field-manager.ts';
import { type BidDecision, hasEnded } from './bid-decision.ts';
import type { DecisionRecords } from './bid-engine.ts';
import { within } from './deadline.ts';
import { decisionObject, decisionPatch, readDecision } from './decision-object.ts';

export interface DecisionStoreOptions {
  readonly reader: Pick<KubeReader, 'find'>;
  readonly caches: CacheOpener;
  /** How long one is kept after it has ended. */
  readonly retentionMs: number;
  /** How many are kept: the oldest that have ended go first. */
  readonly most: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface Written {
  readonly decision: BidDecision;
  /** Undefined where it is nowhere but here. */
  readonly resourceVersion: string | undefined;
}

/** Whoever floods the market with orders that are declined is not to flood the cluster with records of it: so many at once, and then so many a second. */
const declinesAtOnce = 100;
const declinesPerSecond = 10;
const unwrittenKept = 1_000;
const deletedAtOnce = 8;
const longestWaitMs = 10_000;
const maxTries = 3;

/** The records of decisions: on every replica as the API server has them, on the leader with what it has just written, and with the newest of those that it has not. */
export class DecisionStore {
  /** Names of those that have not ended. Nobody waits long for it: what cannot be read keeps nobody from bidding, or from giving back. */
  readonly source: Source;
  readonly #options: DecisionStoreOptions;
  readonly #cache: Cache<BidDecision>;
  readonly #written = new Map<string, Written>(); // name -> what the watch has not shown; the oldest first
  #allowance: { readonly left: number; readonly at: number };
  #unwritten = 0;
  #problem: string | undefined;

  constructor(options: DecisionStoreOptions) {
    this.#options = options;
    this.#allowance = { left: declinesAtOnce, at: options.clock.monotonic() };
    this.#cache = options.caches.open({ type: bidDecisionType, project: readDecision });
    const source = sourceOf(this.#cache, ({ value }) => (hasEnded(value) ? [] : [value.name]));
    this.source = {
      ...source,
      whenSynced: (signal) =>
        within(options.clock, longestWaitMs, signal, (limited) => source.whenSynced(limited)).catch((thrown: unknown) => {
          if (signal.aborted) throw thrown;
        }),
    };
    this.#cache.subscribe({
      added: ({ key, resourceVersion }) => this.#seen(key, resourceVersion),
      updated: ({ key, resourceVersion }) => this.#seen(key, resourceVersion),
      deleted: ({ key }) => void this.#written.delete(key),
    });
  }

  /** Declined orders that no object tells of, since there were too many. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Why they are not what there is. */
  problem(): string | undefined {
    if (this.#cache.status().absent)
      return 'the cluster does not know the kind BidDecision: apply what `quartermaster manifests service-cluster` prints';
    return this.#problem ?? this.#cache.stale()?.reason;
  }

  of(name: string): BidDecision | undefined {
    return this.#written.get(name)?.decision ?? this.#cache.get(name)?.value;
  }

  all(): readonly BidDecision[] {
    const own = [...this.#written.values()].map(({ decision }) => decision);
    return [...[...this.#cache.entries()].filter(({ key }) => !this.#written.has(key)).map(({ value }) => value), ...own];
  }

  /** The records of one term. A write that fails is told of, and made again when the engine next says the same. */
  writtenBy(writer: Pick<KubeWriter, 'create' | 'patch' | 'delete'>): DecisionRecords {
    return {
      of: (name) => this.of(name),
      put: async (decision) => {
        const { name } = decision;
        const before = this.#written.get(name);
        if (this.of(name) === decision && (before === undefined || before.resourceVersion !== undefined)) return;
        const known = before?.resourceVersion ?? this.#cache.get(name)?.resourceVersion;
        if (decision.phase === 'Declined' && !this.#mayWrite()) return this.#keep({ decision, resourceVersion: undefined });
        try {
          const resourceVersion = await this.#write(writer, decision, known);
          this.#keep({ decision, resourceVersion });
          this.#seen(name, this.#cache.get(name)?.resourceVersion ?? '0');
          this.#problem = undefined;
        } catch (thrown) {
          if (this.#problem === undefined)
            this.#options.log.warn('a bid decision cannot be recorded', { decision: name, error: messageOf(thrown) });
          this.#problem = messageOf(thrown);
          this.#keep({ decision, resourceVersion: undefined });
        }
      },
    };
  }

  /** Deletes what has been kept long enough, and what there are too many of. */
  async prune(writer: Pick<KubeWriter, 'delete'>): Promise<void> {
    const { clock, retentionMs, most } = this.#options;
    const ended = [...this.#cache.entries()].filter(({ value }) => hasEnded(value));
    const oldest = ended.toSorted((a, b) => (a.value.endedAt ?? 0) - (b.value.endedAt ?? 0));
    const excess = Math.max(this.#cache.size - most, 0);
    const over = oldest.filter(({ value }, index) => index < excess || (value.endedAt ?? 0) + retentionMs <= clock.now());
    const limited = limit(deletedAtOnce);
    const each = over.map(({ key, uid, resourceVersion }) =>
      limited(async () => {
        try {
          await writer.delete(bidDecisionType, { name: key }, { preconditions: { uid, resourceVersion } });
        } catch (thrown) {
          if (!isFailure(thrown, 'conflict', 'not-found')) throw thrown;
        }
      }),
    );
    await Promise.all(each);
  }

  async stop(): Promise<void> {
    await this.#cache.stop();
  }

  async #write(writer: Pick<KubeWriter, 'create' | 'patch'>, decision: BidDecision, known: string | undefined): Promise<string> {
    const { name } = decision;
    let version = known;
    for (let tries = 1; ; tries += 1) {
      try {
        const options = { fieldManager };
        const written: DecisionObject =
          version === undefined
            ? await writer.create(bidDecisionType, decisionObject(decision), options)
            : await writer.patch(bidDecisionType, { name }, { kind: 'merge', body: decisionPatch(decision, version) }, options);
        return written.metadata?.resourceVersion ?? '';
      } catch (thrown) {
        if (!isFailure(thrown, 'conflict', 'not-found', 'already-exists') || tries >= maxTries) throw thrown;
      }
      version = (await this.#options.reader.find(bidDecisionType, { name }))?.metadata?.resourceVersion;
    }
  }

  #keep(written: Written): void {
    const { name } = written.decision;
    this.#written.delete(name);
    this.#written.set(name, written);
    if (written.resourceVersion === undefined) this.#unwritten += 1;
    if (this.#written.size <= unwrittenKept) return;
    for (const [oldest, { resourceVersion }] of this.#written) {
      if (resourceVersion !== undefined) continue;
      this.#written.delete(oldest);
      return;
    }
  }

  /** The watch has caught up with what was written. */
  #seen(name: string, resourceVersion: string): void {
    const { resourceVersion: own } = this.#written.get(name) ?? {};
    if (own !== undefined && /^\d+$/.test(own) && /^\d+$/.test(resourceVersion) && BigInt(resourceVersion) >= BigInt(own))
      this.#written.delete(name);
  }

  #mayWrite(): boolean {
    const now = this.#options.clock.monotonic();
    const { left, at } = this.#allowance;
    const filled = Math.min(left + ((now - at) / 1000) * declinesPerSecond, declinesAtOnce);
    this.#allowance = { left: filled >= 1 ? filled - 1 : filled, at: now };
    return filled >= 1;
  }
}
