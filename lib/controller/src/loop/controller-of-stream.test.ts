import { FakeClock, Follower, type Random, StatusError, type WatchEvents } from '@quartermaster/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Controller, type ReconcileEvent } from './controller.ts';
import { done } from './reconciler.ts';
import type { Source, SourceListener } from './source.ts';

interface Change {
  readonly id: string;
  readonly token: string;
}

const highest: Random = { next: () => 1, fill: (bytes) => bytes };

/** A service like that of fulfillment: objects by id with a version, a list, and a watch that goes on from a token. */
class HostService {
  readonly versions = new Map<string, number>(); // id -> version
  readonly #watchers = new Set<WatchEvents<Change>>();
  #sequence = 0;

  put(id: string): void {
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    this.#tell(id);
  }

  remove(id: string): void {
    this.versions.delete(id);
    this.#tell(id);
  }

  update(id: string, version: number): void {
    const stored = this.versions.get(id);
    if (stored === undefined) throw new StatusError('not_found', `host "${id}" does not exist`);
    if (stored !== version) throw new StatusError('aborted', `host "${id}" has version ${stored}, not ${version}: read it again`);
  }

  readonly watch = (_token: string | undefined, on: WatchEvents<Change>): (() => void) => {
    this.#watchers.add(on);
    on.message({ id: '', token: String(this.#sequence) });
    return () => void this.#watchers.delete(on);
  };

  #tell(id: string): void {
    this.#sequence += 1;
    for (const on of this.#watchers) on.message({ id, token: String(this.#sequence) });
  }
}

/** The ids of all hosts there are, and of those that change. */
class HostSource implements Source {
  readonly known = new Map<string, number>(); // id -> version
  readonly #follower: Follower<Change, string>;
  readonly #listeners = new Set<SourceListener>();
  readonly #synced = Promise.withResolvers<void>();

  constructor(service: HostService, clock: FakeClock) {
    const read = (id: string): void => {
      const version = service.versions.get(id);
      if (version === undefined) this.known.delete(id);
      else this.known.set(id, version);
      for (const listener of this.#listeners) listener.key(id);
    };
    this.#follower = new Follower<Change, string>({
      watch: service.watch,
      list: () => {
        for (const id of service.versions.keys()) read(id);
        this.#synced.resolve();
      },
      take: (changes) => {
        for (const { id } of changes) if (id !== '') read(id);
      },
      tokenOf: ({ token }) => token,
      backoff: { firstMs: 100, maxMs: 1000, factor: 2 },
      clock,
      random: highest,
    });
    this.#follower.start();
  }

  isSynced(): boolean {
    return this.#follower.status().heardAt !== undefined;
  }

  async whenSynced(): Promise<void> {
    await this.#synced.promise;
  }

  subscribe(listener: SourceListener): () => void {
    this.#listeners.add(listener);
    this.visitAll(listener);
    return () => void this.#listeners.delete(listener);
  }

  visitAll(listener: SourceListener): void {
    for (const id of this.known.keys()) listener.key(id);
  }
}

function start(reconcile: (id: string, source: HostSource, service: HostService) => void) {
  const clock = new FakeClock();
  const service = new HostService();
  service.put('h1');
  const source = new HostSource(service, clock);
  const events: ReconcileEvent[] = [];
  const controller = new Controller({
    reconciler: {
      name: 'hosts',
      reconcile: async (id) => {
        reconcile(id, source, service);
        return await Promise.resolve(done);
      },
    },
    sources: [source],
    clock,
    random: highest,
    backoff: { firstMs: 100, maxMs: 10_000, factor: 2 },
    onOutcome: (event) => events.push(event),
  });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
  return { clock, service, source, controller, events, outcomes: () => events.map(({ key, kind, afterMs }) => [key, kind, afterMs]) };
}

describe('Controller over a stream that is not of Kubernetes', () => {
  it('reconciles what is listed, what changes and what goes', async () => {
    const { clock, service, source, outcomes } = start((id) => expect(id).toMatch(/^h\d$/));
    await clock.advance(0);
    service.put('h2');
    await clock.advance(0);
    service.remove('h1');
    await clock.advance(0);
    expect(outcomes()).toEqual([
      ['h1', 'done', undefined],
      ['h2', 'done', undefined],
      ['h1', 'done', undefined],
    ]);
    expect([...source.known.keys()]).toEqual(['h2']);
  });

  it('takes aborted for a stale copy, also as a cause: soon again, and nobody is told', async () => {
    let isFirst = true;
    const { clock, controller, outcomes } = start((id, source, service) => {
      const version = source.known.get(id) ?? 0;
      try {
        service.update(id, isFirst ? version - 1 : version);
      } catch (cause) {
        throw new StatusError('failed_precondition', `release host ${id}`, { cause });
      } finally {
        isFirst = false;
      }
    });
    await clock.advance(20);
    expect(outcomes()).toEqual([
      ['h1', 'conflict', 20],
      ['h1', 'done', undefined],
    ]);
    expect(controller.status().errors).toEqual([]);
  });

  it('retries unavailable with backoff, and no earlier than the service asks', async () => {
    const waits = [undefined, 7000, 1];
    const { clock, outcomes } = start(() => {
      if (waits.length > 0) throw new StatusError('unavailable', 'busy', { details: { retryAfterMs: waits.shift() } });
    });
    await clock.advance(7600);
    expect(outcomes()).toEqual([
      ['h1', 'failed', 100],
      ['h1', 'failed', 7000],
      ['h1', 'failed', 400],
      ['h1', 'done', undefined],
    ]);
  });

  it('does not retry invalid_argument until the object changes, even when the cause is a stale copy', async () => {
    const { clock, service, outcomes } = start(() => {
      throw new StatusError('invalid_argument', 'spec.class is not known', { cause: new StatusError('aborted', 'stale') });
    });
    await clock.advance(60_000);
    expect(outcomes()).toEqual([['h1', 'terminal', undefined]]);
    service.put('h1');
    await clock.advance(0);
    expect(outcomes()).toHaveLength(2);
  });

  it('retries not_found and failed_precondition with backoff: what is missing may come', async () => {
    const codes = ['not_found', 'failed_precondition'] as const;
    const errors = codes.map((code) => new StatusError(code, code));
    const { clock, controller, outcomes } = start(() => {
      const error = errors.shift();
      if (error !== undefined) throw error;
    });
    await clock.advance(0);
    expect(controller.status().errors).toMatchObject([{ key: 'h1', message: 'not_found' }]);
    await clock.advance(300);
    expect(outcomes()).toEqual([
      ['h1', 'failed', 100],
      ['h1', 'failed', 200],
      ['h1', 'done', undefined],
    ]);
  });
});
