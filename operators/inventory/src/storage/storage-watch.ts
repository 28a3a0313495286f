import { type Clock, type Log, messageOf, pause, silentLog, systemClock } from '@quartermaster/kernel';
import { type Cache, type CacheEntry, type CacheOpener, isRead, type KubeClient } from '@quartermaster/kube';
import type { Reason, StaleSource } from '../model/node-inventory.ts';
import type {
  StorageClassFacts,
  StorageInventory,
  StorageQuerier,
  StorageReading,
  VolumesInEphemeral,
} from '../model/storage-inventory.ts';
import { FollowedSources } from '../observe/followed-sources.ts';
import type { ObservedNamespace } from '../observe/observe-namespace.ts';
import { inventoryOf, type ReadClass } from './class-inventory.ts';
import { LeaseVolumes } from './lease-volumes.ts';
import { type ObservedClaim, type ObservedStorage, observeStorage } from './observed-storage.ts';
import type { QuerierContext } from './querier/querier-context.ts';
import { leftOut, noFigures, unread } from './querier/storage-reasons.ts';
import { type VolumeFacts, VolumeLedger } from './querier/volume-ledger.ts';

export interface StorageWatchOptions {
  /** Stays open when the watch stops. */
  readonly client: KubeClient;
  readonly caches: CacheOpener;
  /** Those of leases: without them, claims are of leases by their own labels alone. */
  readonly namespaces?: Pick<Cache<ObservedNamespace>, 'subscribe'> | undefined;
  /** Why the configuration does not offer a class; undefined when it does. Call `recheck` when its answers change. */
  readonly isOffered: (storageClass: StorageClassFacts) => Reason | undefined;
  /** The classes that the configuration names, whether or not they exist; none unless given. */
  readonly listed?: (() => readonly string[]) | undefined;
  /** In the order in which they are asked: the first that handles a class answers for it. */
  readonly queriers: (context: QuerierContext) => readonly StorageQuerier[];
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

const settleMs = 50;
/** Some changes have no event: a kind that appears or goes away, figures that age out. */
const recheckIntervalMs = 10_000;
/** A backend that does not answer must not hold up the rest. */
const querierTimeoutMs = 10_000;

/** Knows every storage class of the cluster: who answers for it, what it holds, what is promised, and why it is not offered if it is not. */
export class StorageWatch {
  /** Of the classes that `current` said last. */
  readonly leaseVolumes = new LeaseVolumes((uid) => this.#ledger.promiseOf(uid));
  readonly #options: StorageWatchOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #ledger = new VolumeLedger((uid) => this.leaseVolumes.touch(uid));
  readonly #observed: ObservedStorage;
  readonly #sources: FollowedSources;
  /** Those of them that tell what is promised. */
  readonly #promises: FollowedSources;
  readonly #queriers: readonly StorageQuerier[];
  readonly #listeners = new Set<() => void>();
  #cancelSettling: (() => void) | undefined;
  #cancelLookingAgain: () => void;
  /** What `current` said, until something may have changed. */
  #known: readonly StorageInventory[] | undefined;
  #inEphemeral: VolumesInEphemeral | undefined;
  #told = '';
  #stopped = false;

  /** Follows the cluster from now on, until `stop`. */
  constructor(options: StorageWatchOptions) {
    const { client, caches, clock = systemClock, log = silentLog } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#observed = observeStorage(caches);
    const { classes, volumes, claims } = this.#observed;
    this.#sources = new FollowedSources([classes, volumes, claims], clock);
    this.#promises = new FollowedSources([volumes, claims], clock);
    this.#follow();
    const classOf = (name: string): StorageClassFacts | undefined => this.#observed.classes.get(name)?.value;
    const allClasses = (): StorageClassFacts[] => Array.from(classes.entries(), ({ value }) => value);
    const mayHaveClass: QuerierContext['mayHaveClass'] = (isMeant) => this.unreadClasses?.length !== 0 || allClasses().some(isMeant);
    const mayHaveVolume: QuerierContext['mayHaveVolume'] = (isMeant) =>
      !isRead(volumes.status()) || Array.from(this.#ledger.groups()).some(isMeant);
    const changed = (): void => this.#touch();
    const promises = { volumes: this.#ledger, promises: this.#promises };
    const storageClasses = { classes: allClasses, classOf, mayHaveClass, mayHaveVolume };
    this.#queriers = options.queriers({ client, caches, ...promises, ...storageClasses, changed, clock, log });
    this.#cancelLookingAgain = this.#lookAgain();
  }

  /** Every class, sorted by name. Empty before `whenReady` has resolved, and that is not a statement about the cluster. */
  current(): readonly StorageInventory[] {
    this.#known ??= this.#read();
    return this.#known;
  }

  volumesInEphemeral(): VolumesInEphemeral {
    this.#inEphemeral ??= this.#held();
    return this.#inEphemeral;
  }

  /** Names of classes that could never be read; undefined while it is not known which classes there are. */
  get unreadClasses(): readonly string[] | undefined {
    const { classes } = this.#observed;
    if (!isRead(classes.status())) return undefined;
    return classes.unreadable().flatMap(({ key }) => (classes.get(key) === undefined ? [key] : []));
  }

  /** Calls back a moment after something other than the age of figures changed, lease volumes among it, once for many changes. Returns how to end it. */
  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  /** To be called when the configuration has changed. */
  recheck(): void {
    this.#touch();
  }

  /** What cannot be heard right now, each with the time since when. */
  stale(): readonly StaleSource[] {
    return [...this.#sources.stale(), ...this.#queriers.flatMap(({ sources }) => sources.stale())];
  }

  /** Resolves when classes and volumes have been read, or the server does not let us, and every backend has answered or had a fair chance to. */
  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#sources.whenReady(signal);
    const enough = new AbortController();
    const patience = AbortSignal.any([signal, enough.signal]);
    const answered = Promise.all(
      this.#queriers.map(({ name, sources }) =>
        sources.whenReady(patience).catch((error: unknown) => {
          if (!patience.aborted) this.#log.warn('a storage querier failed to start', { querier: name, error: messageOf(error) });
        }),
      ),
    );
    await Promise.race([answered, pause(this.#clock, querierTimeoutMs, signal)]);
    enough.abort(new Error('the backends had their time'));
    signal.throwIfAborted();
    // A kind that turned out not to exist, or to be empty, told nobody.
    this.#touch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelSettling?.();
    this.#cancelLookingAgain();
    await Promise.all([this.#sources.stop(), ...this.#queriers.map(({ sources }) => sources.stop())]);
  }

  #read(): readonly StorageInventory[] {
    const classes = Array.from(this.#observed.classes.entries(), ({ value: facts }) => ({
      facts,
      promised: this.#ledger.ofClass(facts.name),
      notListed: this.#options.isOffered(facts),
      answer: this.#answerFor(facts),
    }));
    this.leaseVolumes.setCounted(new Map(classes.map((each) => [each.facts.name, this.#placesOf(each)])));
    return inventoryOf(classes, this.#missing());
  }

  #placesOf({ facts, answer }: ReadClass): ReadonlyMap<string, string | undefined> {
    const counted = answer?.reading.known === true ? answer.reading.counted : undefined;
    return new Map(Array.from(this.#ledger.groupsOf(facts.name), ({ place }) => [place, counted?.get(place)]));
  }

  /** Names of classes that should be there; absence is a fact only after a complete read. */
  #missing(): readonly string[] {
    const { classes } = this.#observed;
    if (!classes.status().synced) return [];
    const known = new Set([...Array.from(classes.entries(), ({ key }) => key), ...(this.unreadClasses ?? [])]);
    return (this.#options.listed?.() ?? []).filter((name) => !known.has(name));
  }

  #answerFor(facts: StorageClassFacts): { readonly querier: string; readonly reading: StorageReading } | undefined {
    const querier = this.#queriers.find((each) => each.handles(facts));
    if (querier === undefined) return undefined;
    const { name, sources } = querier;
    try {
      const early = unread(this.#sources, 'the promises to volumes') ?? leftOut(this.#promises, 'PersistentVolumes or claims');
      const reading = early ?? querier.read(facts);
      return { querier: name, reading: reading.known ? reading : (leftOut(sources, `objects of ${name}`) ?? reading) };
    } catch (error) {
      this.#log.error('a storage querier threw', { querier: name, class: facts.name, error });
      return { querier: name, reading: noFigures('CapacityUnknown', `${name} failed to judge class ${facts.name}`) };
    }
  }

  #follow(): void {
    const { classes, volumes, claims } = this.#observed;
    const touched = (): void => this.#touch();
    classes.subscribe({ added: touched, updated: touched, deleted: touched });
    const volume = ({ key, value }: CacheEntry<VolumeFacts>): void => {
      this.#ledger.putVolume(key, value);
      this.#touch();
    };
    volumes.subscribe({
      added: volume,
      updated: volume,
      deleted: ({ key }) => {
        this.#ledger.removeVolume(key);
        this.#touch();
      },
    });
    const claim = ({ uid, value }: CacheEntry<ObservedClaim>): void => {
      this.#ledger.putClaim(uid, value);
      this.leaseVolumes.setClaim(uid, value);
      this.#touch();
    };
    claims.subscribe({
      added: claim,
      updated: claim,
      deleted: ({ uid }) => {
        this.#ledger.removeClaim(uid);
        this.leaseVolumes.removeClaim(uid);
        this.#touch();
      },
    });
    const namespace = (name: string, value: ObservedNamespace | undefined): void => {
      this.leaseVolumes.setNamespace(name, value);
      if (this.leaseVolumes.hasChanged) this.#touch();
    };
    const named = ({ key, value }: CacheEntry<ObservedNamespace>): void => namespace(key, value);
    this.#options.namespaces?.subscribe({ added: named, updated: named, deleted: ({ key }) => namespace(key, undefined) });
  }

  #held(): VolumesInEphemeral {
    const bytes = new Map<string, number>();
    const nodes = new Set<string>();
    let areAllUnread = false;
    for (const querier of this.#queriers) {
      const held = querier.volumesInEphemeral?.();
      for (const [node, more] of held?.bytes ?? []) bytes.set(node, (bytes.get(node) ?? 0) + more);
      if (held?.unread === 'all') areAllUnread = true;
      else for (const node of held?.unread ?? []) nodes.add(node);
    }
    return { bytes, unread: areAllUnread ? 'all' : nodes };
  }

  #touch(): void {
    this.#known = undefined;
    this.#inEphemeral = undefined;
    if (this.#stopped || this.#cancelSettling !== undefined) return;
    this.#cancelSettling = this.#clock.schedule(settleMs, () => {
      this.#cancelSettling = undefined;
      this.#tell();
    });
  }

  #tell(): void {
    const text = JSON.stringify(
      [this.current(), this.unreadClasses, this.volumesInEphemeral(), this.stale().map(({ source }) => source)],
      withoutAge,
    );
    if (text === this.#told && !this.leaseVolumes.hasChanged) return;
    this.#told = text;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#log.error('a listener of the storage watch threw', { error });
      }
    }
  }

  #lookAgain(): () => void {
    return this.#clock.schedule(recheckIntervalMs, () => {
      this.#touch();
      this.#cancelLookingAgain = this.#lookAgain();
    });
  }
}

function withoutAge(key: string, value: unknown): unknown {
  if (key === 'observedAt') return undefined;
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
