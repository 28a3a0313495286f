import type { ServerResponse } from 'node:http';
import type { Clock } from '@quartermaster/kernel';
import { expired, statusOf } from '../../schema/api-status.ts';
import { type JsonObject, metaOf, withMeta } from '../object/api-object.ts';
import type { Collection, StoreEvent } from '../store/collection.ts';
import type { WatchOptions } from './list-options.ts';
import { type WatchEventType, watchLine } from './object-encoder.ts';

export interface WatchStreamParts {
  readonly collection: Collection;
  /** Only keys that start with it. */
  readonly prefix: string;
  readonly options: WatchOptions;
  /** The revision now. */
  readonly revision: () => number;
  readonly response: ServerResponse;
  /** An event as a line, in the form that the watcher wants. */
  readonly line: (type: WatchEventType, object: JsonObject) => Buffer;
  /** The kind and apiVersion of a bookmark. */
  readonly bookmark: { readonly kind: string; readonly apiVersion: string };
  /** How often it is told how far it is, where it wants to know. A minute unless given, as with the real server. */
  readonly bookmarkMs?: number | undefined;
  readonly clock: Clock;
  readonly frozen: () => boolean;
}

const standardBookmarkMs = 60_000;
/** Watches end by themselves after this long, unless they ask for another time. */
const maxWatchMs = 45 * 60_000;
const batch = 500;

/** Lines are sent together up to about this much: few large writes cost less than many small ones. */
const togetherBytes = 64 * 1024;

/**
 * One watch. It holds no events: it knows how far it has told and reads on from the collection whenever its connection takes
 * more. A watcher that falls so far behind that the events are gone is told so (410) and cut off.
 */
export class WatchStream {
  readonly #parts: WatchStreamParts;
  readonly #cleanups: (() => void)[] = [];
  #told: number;
  #initial: Iterator<readonly [string, JsonObject]> | undefined;
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #turn: NodeJS.Immediate | undefined;
  #blocked = false;
  #ended = false;

  constructor(parts: WatchStreamParts) {
    this.#parts = parts;
    const { collection, prefix, options, revision } = parts;
    const fromState = options.sendInitialEvents || options.resourceVersion === undefined || options.resourceVersion === 0;
    this.#told = fromState ? revision() : (options.resourceVersion ?? 0);
    if (fromState) this.#initial = [...collection.range(prefix)][Symbol.iterator]();
  }

  start(): void {
    const { response, collection, clock, options } = this.#parts;
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    response.on('drain', () => {
      this.#blocked = false;
      this.pump();
    });
    response.on('close', () => this.#stop());
    this.#cleanups.push(
      collection.listen(() => this.#pumpSoon()),
      () => clearImmediate(this.#turn),
      clock.schedule(options.timeoutSeconds === undefined ? maxWatchMs : options.timeoutSeconds * 1000, () => this.end()),
    );
    this.#keepMarking();
    this.pump();
  }

  /** Tells what is new, as far as the connection takes it. */
  pump(): void {
    if (this.#ended || this.#parts.frozen()) return;
    this.#pump();
    this.#send();
  }

  /** Events of the same turn go out together. */
  #pumpSoon(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.pump();
    });
  }

  #pump(): void {
    if (this.#initial !== undefined && !this.#tellState(this.#initial)) return;
    while (!this.#blocked) {
      const events = this.#parts.collection.eventsAfter(this.#told, batch);
      if (events === undefined) {
        this.expire();
        return;
      }
      for (const event of events) {
        if (this.#blocked) return;
        this.#tell(event);
      }
      if (events.length < batch) break;
    }
    if (this.#parts.collection.closed && !this.#blocked) this.end();
  }

  /** Says that the version is too old, and ends. */
  expire(): void {
    const status = statusOf(expired(`too old resource version: ${this.#told} (${this.#parts.collection.compacted})`));
    this.#write(watchLine('ERROR', JSON.stringify(status)));
    this.#finish();
  }

  /** Ends in order, with a last bookmark. */
  end(): void {
    if (this.#ended) return;
    this.#bookmark();
    this.#finish();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#stop();
    this.#parts.response.destroy();
  }

  #tellState(initial: Iterator<readonly [string, JsonObject]>): boolean {
    const { options, line } = this.#parts;
    for (let next = initial.next(); next.done !== true; next = initial.next()) {
      const [, object] = next.value;
      if (options.filter(object)) this.#write(line('ADDED', object));
      if (this.#blocked) return false;
    }
    this.#initial = undefined;
    if (options.sendInitialEvents) this.#bookmark({ 'k8s.io/initial-events-end': 'true' });
    return true;
  }

  #tell(event: StoreEvent): void {
    const { prefix, options, line } = this.#parts;
    this.#told = event.revision;
    if (!event.key.startsWith(prefix)) return;
    const { previous } = event;
    const was = previous !== undefined && options.filter(previous);
    const is = event.type !== 'DELETED' && options.filter(event.object);
    if (is) this.#write(line(was ? 'MODIFIED' : 'ADDED', event.object));
    else if (was) {
      const gone = event.type === 'DELETED' ? event.object : withMeta(previous, { resourceVersion: metaOf(event.object).resourceVersion });
      this.#write(line('DELETED', gone));
    }
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { options, bookmark, collection } = this.#parts;
    if (!options.allowBookmarks || this.#initial !== undefined || this.#blocked || collection.closed) return;
    // Where everything up to now was told: what was filtered out or of other kinds needs no telling.
    if (collection.eventsAfter(this.#told, 1)?.length === 0) this.#told = Math.max(this.#told, this.#parts.revision());
    const metadata = { resourceVersion: String(this.#told), creationTimestamp: null, annotations };
    this.#write(watchLine('BOOKMARK', JSON.stringify({ ...bookmark, metadata })));
    this.#send();
  }

  #keepMarking(): void {
    const { options, clock, bookmarkMs = standardBookmarkMs } = this.#parts;
    if (!options.allowBookmarks) return;
    let cancel = (): void => undefined;
    const mark = (): void => {
      if (!this.#parts.frozen()) {
        this.pump();
        this.#bookmark();
      }
      cancel = clock.schedule(bookmarkMs, mark);
    };
    cancel = clock.schedule(bookmarkMs, mark);
    this.#cleanups.push(() => cancel());
  }

  #write(line: Buffer): void {
    if (this.#ended) return;
    this.#unsent.push(line);
    this.#unsentBytes += line.length;
    if (this.#unsentBytes >= togetherBytes) this.#send();
  }

  #send(): void {
    const [first, ...more] = this.#unsent;
    if (first === undefined || this.#ended) return;
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (!this.#parts.response.write(more.length === 0 ? first : Buffer.concat([first, ...more]))) this.#blocked = true;
  }

  #finish(): void {
    this.#send();
    this.#stop();
    this.#parts.response.end();
  }

  #stop(): void {
    this.#ended = true;
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }
}
