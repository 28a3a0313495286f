import { Backoff, type Clock, type Log, messageOf, pause, type Random, retryAfterMsOf } from '@quartermaster/kernel';
import type { ListOptions } from '../client/api.ts';
import { listRequest } from '../client/client.ts';
import type { FieldSelection } from '../objects/field-selection.ts';
import { type KubeObject, keyText, type ObjectKeyText, type ResourceType } from '../objects/objects.ts';
import { isFailure } from '../transport/failure.ts';
import type { KubeTransport } from '../transport/transport.ts';
import { type AnswerDecoder, answerDecoder, type DecodedList } from './answer-decoder.ts';
import type { CacheStatus, UnreadableObject } from './cache-api.ts';
import type { CacheStore } from './cache-store.ts';
import { FollowedVersion } from './followed-version.ts';
import { listPages } from './list-pages.ts';
import { PageSize } from './page-size.ts';
import { ReflectorStatus } from './reflector-status.ts';
import { SilenceWatchdog } from './silence-watchdog.ts';
import { watch } from './watch.ts';

/*
 * Keeps a store equal to one kind on the server, for as long as it runs and whatever fails.
 *
 *   list ──► watch ──► watch ──► …        a watch that ends resumes at the last version seen
 *    ▲         │
 *    └─────────┘  the server no longer has that version (410), has gone back in time (restored from a backup),
 *                 or no longer serves the kind: only a list helps
 *
 * A list is read page by page. Each page is taken in as it arrives; what the list did not hold is removed only after the
 * last page, so that a list that breaks off never looks like deletions. Any failure is retried with a growing, jittered wait.
 * A watch on which nothing arrives, not even a bookmark, is dropped and resumed: a half-open connection looks like silence.
 */

export interface ReflectorOptions<T extends KubeObject, P> {
  readonly type: ResourceType<T>;
  /** The same kind in older versions of its API, in the order in which they are tried while the server does not know the newer ones. */
  readonly olderTypes?: readonly ResourceType[] | undefined;
  /** What stays in memory of each object. Runs as soon as its JSON is parsed; the rest is garbage at once. It does not see managedFields. */
  readonly project: (object: T) => P;
  /** The fields that `project` reads; the others are stepped over without being parsed. All of them when left out. */
  readonly fields?: FieldSelection<T>;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Bounds of the random time after which the server is asked to end a watch, so that watches spread over its replicas. */
  readonly watchSeconds?: { readonly min: number; readonly max: number } | undefined;
  /** A watch on which nothing arrived for so long is resumed on a new connection. The server sends bookmarks about every minute. */
  readonly silenceMs?: number | undefined;
  /** Waits between tries while the server fails. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number; readonly factor: number } | undefined;
}

export interface ReflectorContext {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A watch that ended sooner than this brought no progress; resuming it at once could become a busy loop. */
const shortWatchMs = 1_000;

export class Reflector<T extends KubeObject, P> {
  readonly #options: ReflectorOptions<T, P>;
  readonly #context: ReflectorContext;
  readonly #store: CacheStore<P>;
  readonly #status: ReflectorStatus;
  readonly #backoff: Backoff;
  readonly #pageSize = new PageSize();
  readonly #decoder: AnswerDecoder;
  readonly #version: FollowedVersion;
  readonly #unreadable = new Map<ObjectKeyText, string>(); // key -> why
  #resourceVersion: string | undefined;
  /** The last try failed, so the server may have been replaced or restored meanwhile. */
  #interrupted = false;
  /** When the present watch was accepted, by the monotonic clock. */
  #openedAt: number | undefined;

  constructor(options: ReflectorOptions<T, P>, context: ReflectorContext, store: CacheStore<P>) {
    this.#options = options;
    this.#context = context;
    this.#store = store;
    this.#version = new FollowedVersion(options.type, options.olderTypes);
    this.#decoder = answerDecoder(options.fields ?? true);
    this.#status = new ReflectorStatus(context.clock);
    this.#backoff = new Backoff(options.backoff ?? { firstMs: 500, maxMs: 30_000, factor: 2 }, context.random);
  }

  status(): CacheStatus {
    return this.#status.snapshot(this.#resourceVersion, this.#store.size);
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#status.whenSynced(signal);
  }

  /** Objects of which the newest state could not be projected. */
  unreadable(): readonly UnreadableObject[] {
    return Array.from(this.#unreadable, ([key, reason]) => ({ key, reason }));
  }

  handlerFailed(error: unknown): void {
    this.#status.count('handlerErrors');
    this.#context.log.error('cache listener threw', { kind: this.#options.type.kind, error });
  }

  /** Resolves when the signal aborts, and for no other reason. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#openedAt = undefined;
      try {
        if (this.#interrupted) await this.#checkForTimeTravel(signal);
        if (this.#resourceVersion === undefined) await this.#list(signal);
        await this.#watch(signal);
        if (!this.#watchedForAWhile()) await pause(this.#context.clock, this.#backoff.nextMs(), signal);
      } catch (error) {
        if (signal.aborted) break;
        await this.#recover(error, signal);
      }
    }
    this.#status.enter('stopped');
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#context;
    this.#interrupted = true;
    if (this.#watchedForAWhile()) this.#backoff.reset();
    this.#status.failed(messageOf(error));
    let waitMs = this.#backoff.nextMs();
    if (isFailure(error, 'expired')) {
      this.#resourceVersion = undefined;
      this.#status.count('expirations');
      this.#status.enter('reconnecting');
      // The first relist helps at once; only a server that keeps saying "expired" is kept waiting for.
      if (this.#backoff.failures === 1) waitMs = 0;
    } else if (isFailure(error, 'kind-missing')) {
      this.#resourceVersion = undefined;
      // Only when the server knows none of the versions, it is known that there is nothing.
      if (this.#version.tryNext()) waitMs = 0;
      else this.#status.enter('kind-missing');
    } else {
      if (isFailure(error, 'forbidden')) this.#status.refused();
      this.#status.enter('reconnecting');
    }
    log.debug('cache is retrying', { kind: this.#options.type.kind, error: messageOf(error), waitMs });
    await pause(clock, Math.max(waitMs, retryAfterMsOf(error) ?? 0), signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#status.enter('listing');
    this.#status.count('lists');
    const unseen = new Set([...this.#store.keys(), ...this.#unreadable.keys()]);
    const { transport } = this.#context;
    const reader = { transport, decoder: this.#decoder, pageSize: this.#pageSize };
    let resourceVersion = '';
    for await (const { items, metadata } of listPages(reader, this.#version.current, this.#selection(signal))) {
      this.#status.contact();
      for (const item of items ?? []) unseen.delete(this.#put(item));
      resourceVersion = metadata?.resourceVersion ?? '';
    }
    for (const key of unseen) this.#remove(key);
    this.#version.found();
    this.#resourceVersion = resourceVersion;
    this.#status.synced();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { namespace, labelSelector, fieldSelector, silenceMs = 90_000 } = this.#options;
    const type = this.#version.current;
    const silence = new SilenceWatchdog(this.#context.clock, silenceMs, signal);
    this.#status.count('watches');
    try {
      await watch(
        this.#context.transport,
        type,
        {
          namespace,
          labelSelector,
          fieldSelector,
          resourceVersion: this.#resourceVersion ?? '',
          timeoutSeconds: this.#watchSeconds(),
          decoder: this.#decoder,
          signal: silence.signal,
        },
        {
          opened: () => {
            silence.contact();
            this.#status.contact();
            this.#status.enter('watching');
            this.#openedAt = this.#context.clock.monotonic();
            this.#interrupted = false;
          },
          contact: () => {
            silence.contact();
            this.#status.contact();
          },
          changed: (change, object) => this.#changed(change, object),
          bookmark: (resourceVersion) => {
            this.#status.count('bookmarks');
            this.#backoff.reset();
            if (resourceVersion !== '') this.#resourceVersion = resourceVersion;
          },
        },
      );
    } catch (error) {
      if (!silence.fired) throw error;
      this.#status.count('silences');
      // Whether the server is there shows when it accepts the next watch, which may take a while.
      this.#status.failed(`nothing arrived on the watch for ${silenceMs / 1000} s`);
      this.#status.enter('reconnecting');
      this.#context.log.debug('watch was silent, resuming', { kind: type.kind });
    } finally {
      silence.end();
    }
  }

  #changed(change: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    this.#status.count('events');
    this.#backoff.reset();
    if (change === 'DELETED') this.#remove(keyOf(object));
    else this.#put(object);
    this.#resourceVersion = object.metadata?.resourceVersion ?? this.#resourceVersion;
  }

  #remove(key: ObjectKeyText): void {
    this.#unreadable.delete(key);
    this.#store.remove(key);
  }

  #put(object: KubeObject): ObjectKeyText {
    const key = keyOf(object);
    try {
      const value = this.#options.project(object as T);
      this.#unreadable.delete(key);
      this.#store.put({ key, uid: object.metadata?.uid ?? '', resourceVersion: object.metadata?.resourceVersion ?? '', value });
    } catch (error) {
      // The object keeps its last good projection; one odd object must not cost the others.
      this.#status.count('handlerErrors');
      const reason = messageOf(error);
      if (this.#unreadable.get(key) !== reason) {
        this.#context.log.warn('an object could not be read and is left out', { kind: this.#options.type.kind, key, error: reason });
      }
      this.#unreadable.set(key, reason);
    }
    return key;
  }

  /**
   * A server restored from a backup has versions below ours, and a watch from "the future" would stay silent until it
   * catches up. Versions of one server are integers that grow; others (aggregated APIs) are left alone.
   */
  async #checkForTimeTravel(signal: AbortSignal): Promise<void> {
    const ours = versionNumber(this.#resourceVersion);
    if (ours === undefined) return;
    const page = await this.#context.transport.json<DecodedList>(
      listRequest(this.#version.current, { ...this.#selection(signal), limit: 1 }),
    );
    const theirs = versionNumber(page.metadata?.resourceVersion);
    if (theirs === undefined || theirs >= ours) return;
    this.#context.log.warn('resourceVersion went backwards, listing again', { kind: this.#options.type.kind });
    this.#resourceVersion = undefined;
  }

  #selection(signal: AbortSignal): ListOptions {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return { signal, namespace, labelSelector, fieldSelector };
  }

  #watchedForAWhile(): boolean {
    return this.#openedAt !== undefined && this.#context.clock.monotonic() - this.#openedAt >= shortWatchMs;
  }

  #watchSeconds(): number {
    const { min, max } = this.#options.watchSeconds ?? { min: 300, max: 600 };
    return Math.round(min + (max - min) * this.#context.random.next());
  }
}

function keyOf(object: KubeObject): ObjectKeyText {
  return keyText({ namespace: object.metadata?.namespace, name: object.metadata?.name ?? '' });
}

function versionNumber(resourceVersion: string | undefined): bigint | undefined {
  return resourceVersion !== undefined && /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined;
}
