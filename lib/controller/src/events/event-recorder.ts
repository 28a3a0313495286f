import {
  backoffMs,
  type Clock,
  codeOf,
  defaultBackoff,
  type Log,
  messageOf,
  type Random,
  silentLog,
  sleep,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { isFailure, isNamespaceEnding, type KubeObject, type KubeWriter, kinds, type ResourceType } from '@quartermaster/kube';
import { Fifo } from '../loop/fifo.ts';
import { checkNotice, eventOf, microTime, type Notice, type NoticeType, type ObjectReference, referenceTo } from './kube-event.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface EventRecorderOptions {
  readonly writer: Pick<KubeWriter, 'create' | 'patch'>;
  /** Who reports, as a qualified name: `example.com/greeting-operator`. */
  readonly controller: string;
  /** Which of its processes: the pod's name. */
  readonly instance: string;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
  /** Series remembered, and events waiting to be sent. Default 1000. */
  readonly maxSeries?: number | undefined;
}

export interface EventCounters {
  /** Notices given to the recorder. */
  readonly recorded: number;
  readonly created: number;
  readonly patched: number;
  /** Not written because their object has had too many, or because too many wait. Repeats among them still count in their series. */
  readonly limited: number;
  /** Not written because the notice breaks a rule. */
  readonly refused: number;
  /** Given up after the server refused or did not answer. */
  readonly failed: number;
}

interface StoredEvent {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string | undefined;
}

/** One thing that is told about one object, however often. `stored` is the Event that the server has for it. */
interface Series {
  readonly regarding: ObjectReference;
  readonly type: NoticeType;
  readonly notice: Notice;
  count: number;
  lastObserved: number;
  stored: StoredEvent | undefined;
  isPending: boolean;
  tries: number;
}

/** A repeat after this long is a new happening. Below the hour for which the API server keeps Events. */
const seriesEndsAfterMs = 1_800_000;
const maxTries = 5;

/**
 * Tells people what happens to an object, as Kubernetes Events: `kubectl describe` shows them. The first notice becomes an Event;
 * repeats of the same one raise the count of its series. An object has 25 writes at hand and one more every five minutes.
 *
 * Recording returns at once and never throws: a reconcile must not fail or wait because nobody could be told.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #maxSeries: number;
  readonly #limits: TokenBuckets;
  readonly #series = new Map<string, Series>(); // what is told of which object -> series; the one unused for longest first
  readonly #pending = new Fifo<Series>();
  readonly #counters = { recorded: 0, created: 0, patched: 0, limited: 0, refused: 0, failed: 0 };
  #sending: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? silentLog;
    this.#maxSeries = options.maxSeries ?? 1000;
    this.#limits = new TokenBuckets({ burst: 25, refillIntervalMs: 300_000, maxKeys: this.#maxSeries, clock: this.#clock });
  }

  normal<T extends KubeObject>(type: ResourceType<T>, object: T, notice: Notice): void {
    this.record(type, object, 'Normal', notice);
  }

  warning<T extends KubeObject>(type: ResourceType<T>, object: T, notice: Notice): void {
    this.record(type, object, 'Warning', notice);
  }

  record<T extends KubeObject>(type: ResourceType<T>, object: T, noticeType: NoticeType, notice: Notice): void {
    this.#counters.recorded += 1;
    try {
      checkNotice(notice);
      this.#observe(referenceTo(type, object), noticeType, notice);
    } catch (thrown) {
      this.#counters.refused += 1;
      this.#log.error('event refused', { reason: notice.reason, error: messageOf(thrown) });
    }
  }

  counters(): EventCounters {
    return { ...this.#counters };
  }

  /** Resolves when everything recorded so far was written or given up, or when the signal aborts. */
  async flush(signal?: AbortSignal): Promise<void> {
    while (this.#sending !== undefined && signal?.aborted !== true) {
      await untilAborted(this.#sending, signal);
    }
  }

  #observe(regarding: ObjectReference, type: NoticeType, notice: Notice): void {
    const object = regarding.uid ?? `${regarding.apiVersion} ${regarding.kind} ${regarding.namespace ?? ''}/${regarding.name}`;
    const id = JSON.stringify([object, type, notice.reason, notice.action, notice.note]);
    const now = this.#clock.monotonic();
    let series = this.#series.get(id);
    if (series !== undefined && now - series.lastObserved > seriesEndsAfterMs) series = undefined;
    if (series?.isPending === true) {
      this.#repeat(id, series, now);
      return;
    }
    const isAdmitted = this.#pending.size < this.#maxSeries && this.#limits.take(object);
    if (!isAdmitted) this.#counters.limited += 1;
    if (series !== undefined) this.#repeat(id, series, now);
    else if (isAdmitted) {
      series = { regarding, type, notice, count: 1, lastObserved: now, stored: undefined, isPending: false, tries: 0 };
      this.#remember(id, series);
    }
    if (isAdmitted && series !== undefined) this.#send(series);
  }

  #repeat(id: string, series: Series, now: number): void {
    series.count += 1;
    series.lastObserved = now;
    this.#remember(id, series);
  }

  #remember(id: string, series: Series): void {
    this.#series.delete(id);
    this.#series.set(id, series);
    if (this.#series.size <= this.#maxSeries) return;
    const [oldest] = this.#series.keys();
    if (oldest !== undefined) this.#series.delete(oldest);
  }

  #send(series: Series): void {
    series.isPending = true;
    series.tries = 0;
    this.#pending.push(series);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** One at a time: Events must not crowd out the writes that matter. */
  async #sendAll(): Promise<void> {
    // Lets the caller go on first, so that not even building the request holds up a reconcile.
    await Promise.resolve();
    for (let series = this.#pending.shift(); series !== undefined; series = this.#pending.shift()) {
      series.isPending = false;
      try {
        await this.#write(series);
      } catch (thrown) {
        await this.#failed(series, thrown);
      }
    }
  }

  async #failed(series: Series, thrown: unknown): Promise<void> {
    series.tries += 1;
    if (codeOf(thrown) === 'unavailable' && series.tries < maxTries) {
      if (!series.isPending) this.#pending.push(series);
      series.isPending = true;
      await sleep(this.#clock, backoffMs(series.tries, defaultBackoff, this.#random));
      return;
    }
    this.#counters.failed += 1;
    // Events go with their namespace: nobody would have read this one.
    const level = isNamespaceEnding(thrown) || isFailure(thrown, 'not-found') ? 'debug' : 'warn';
    this.#log[level]('event not written', { ...series.regarding, reason: series.notice.reason, error: messageOf(thrown) });
  }

  async #write(series: Series): Promise<void> {
    if (series.stored !== undefined && series.count > 1) {
      if (await this.#raise(series, series.stored)) return;
      // The server has dropped the Event, as it does with old ones, or another process has it: this is the first of a new series.
      series.stored = undefined;
      series.count = 1;
    }
    const { regarding, type, notice } = series;
    const { controller, instance } = this.#options;
    const event = eventOf({ regarding, type, notice, controller, instance, wallMs: this.#clock.now() }, this.#random);
    const stored = await this.#options.writer.create(kinds.events, series.count < 2 ? event : { ...event, series: this.#seriesOf(series) });
    this.#counters.created += 1;
    series.stored = {
      namespace: stored.metadata?.namespace ?? 'default',
      name: stored.metadata?.name ?? event.metadata?.name ?? '',
      resourceVersion: stored.metadata?.resourceVersion,
    };
  }

  /** False when the Event is no longer as we left it. */
  async #raise(series: Series, { namespace, name, resourceVersion }: StoredEvent): Promise<boolean> {
    const body = { metadata: { resourceVersion }, series: this.#seriesOf(series) };
    try {
      const raised = await this.#options.writer.patch(kinds.events, { namespace, name }, { kind: 'merge', body });
      series.stored = { namespace, name, resourceVersion: raised.metadata?.resourceVersion };
    } catch (thrown) {
      if (isFailure(thrown, 'not-found', 'conflict')) return false;
      throw thrown;
    }
    this.#counters.patched += 1;
    return true;
  }

  #seriesOf(series: Series): { readonly count: number; readonly lastObservedTime: string } {
    const agoMs = this.#clock.monotonic() - series.lastObserved;
    return { count: series.count, lastObservedTime: microTime(this.#clock.now() - agoMs) };
  }
}

async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work;
  const stop = Promise.withResolvers<void>();
  const abort = (): void => stop.resolve();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
