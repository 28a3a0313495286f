import { isDeepStrictEqual } from 'node:util';
import type { HostnameClaim } from '@quartermaster/api/hostname-claim';
import { StatusError } from '@quartermaster/kernel';
import type { CacheEntry, CacheListener, CacheOpener, KubeWriter } from '@quartermaster/kube';
import { type Claim, claimName, isWildcard, parentName, parentOf, readClaim } from '../src/hostnames/claim.ts';
import type { ClaimReader } from '../src/hostnames/claim-objects.ts';

/** What becomes of a request: lost before the server has it, lost on the way back, or answered as lost and there later. */
export type Fate = 'answered' | 'lost' | 'unanswered' | 'late';

/** Where a request waits for its turn, and hears what becomes of it. `later` is what has to be done for one that is late. */
export type Gate = (what: string, later: () => void) => Promise<Fate>;

export type ClaimClient = ClaimReader & Pick<KubeWriter, 'create' | 'replace' | 'delete'>;

const failure = (kind: string): StatusError => new StatusError('aborted', kind, { details: { kind, causes: [] } });

/** HostnameClaims as an API server has them: each write from the version that it names, lists of one moment. After each write it looks whether somebody has what is another's. */
export class ClaimServer {
  readonly objects = new Map<string, HostnameClaim>();
  readonly writes: string[] = [];
  #version = 0;
  #uids = 0;

  claims(): readonly Claim[] {
    return [...this.objects.values()].map(readClaim);
  }

  claim(hostname: string): Claim | undefined {
    const found = this.objects.get(claimName(hostname));
    return found === undefined ? undefined : readClaim(found);
  }

  client(gate: Gate = async () => 'answered'): ClaimClient {
    const read = async <T>(what: string, answer: () => T): Promise<T> => {
      if ((await gate(what, () => {})) !== 'answered') throw failure('connection');
      return answer();
    };
    const write = async <T>(what: string, make: () => T): Promise<T> => {
      const done = (): T => {
        const made = make();
        this.writes.push(what);
        this.#examine(what);
        return made;
      };
      const fate = await gate(what, () => attempt(done));
      if (fate === 'lost' || fate === 'late') throw failure('connection');
      const answer = done();
      if (fate === 'unanswered') throw failure('connection');
      return answer;
    };
    const client = {
      find: (_type: unknown, { name }: { name: string }) => read('find', () => this.objects.get(name)),
      pages: (_type: unknown, { labelSelector }: { labelSelector?: string } = {}) => this.#pages(read, labelSelector),
      create: (_type: unknown, object: HostnameClaim) => write(`create ${object.spec.hostname}`, () => this.#create(object)),
      replace: (_type: unknown, object: HostnameClaim) =>
        write(`replace ${object.spec.hostname} ${object.spec.state}`, () => this.#replace(object)),
      delete: (_type: unknown, { name }: { name: string }, options: DeletedOn) => write('delete', () => this.#delete(name, options)),
    };
    return client as unknown as ClaimClient;
  }

  async *#pages(read: <T>(what: string, answer: () => T) => Promise<T>, labelSelector: string | undefined) {
    const [key = '', value] = (labelSelector ?? '').split('=');
    yield await read(labelSelector === undefined ? 'list' : 'list below', () => ({
      resourceVersion: String(this.#version),
      items: [...this.objects.values()].filter(({ metadata }) => value === undefined || metadata?.labels?.[key] === value),
    }));
  }

  #create(object: HostnameClaim): HostnameClaim {
    if (this.objects.has(object.metadata?.name ?? '')) throw failure('already-exists');
    this.#uids += 1;
    return this.#store(object, `u${this.#uids}`);
  }

  #replace(object: HostnameClaim): HostnameClaim {
    const { name = '', uid = '', resourceVersion } = object.metadata ?? {};
    const before = this.objects.get(name);
    if (before === undefined) throw failure('not-found');
    if (before.metadata?.uid !== uid || before.metadata.resourceVersion !== resourceVersion) throw failure('conflict');
    // What changes nothing gets no new version, so that others who read it before still write from it.
    if (isDeepStrictEqual([before.spec, before.metadata.labels], [object.spec, object.metadata?.labels])) return before;
    return this.#store(object, uid);
  }

  #delete(name: string, { preconditions }: DeletedOn): void {
    const before = this.objects.get(name)?.metadata;
    if (before === undefined) return;
    if (before.uid !== preconditions.uid || before.resourceVersion !== preconditions.resourceVersion) throw failure('conflict');
    this.objects.delete(name);
  }

  #store(object: HostnameClaim, uid: string): HostnameClaim {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(this.#version) } };
    this.objects.set(object.metadata?.name ?? '', stored);
    return stored;
  }

  #examine(after: string): void {
    const held = this.claims().filter(({ state }) => state === 'Held');
    for (const wildcard of held.filter(({ hostname }) => isWildcard(hostname))) {
      const parent = parentOf(wildcard.hostname);
      const other = held.find(({ hostname, owner, isStatic }) => parentOf(hostname) === parent && owner !== wildcard.owner && !isStatic);
      if (other !== undefined)
        throw new Error(`${wildcard.owner} has ${wildcard.hostname}, and ${other.owner} has ${other.hostname}, after ${after}`);
      const record = this.objects.get(parentName(parent));
      if (record?.spec.owner !== wildcard.owner) throw new Error(`the record of ${parent} does not name ${wildcard.owner}, after ${after}`);
    }
  }
}

interface DeletedOn {
  readonly preconditions: { readonly uid: string; readonly resourceVersion: string };
}

function attempt(make: () => unknown): void {
  try {
    make();
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
  }
}

/** A copy of what a server has that shows it when it is told to. */
export class ShownClaims {
  readonly #server: ClaimServer;
  readonly #entries = new Map<string, CacheEntry<Claim>>();
  readonly #listeners = new Set<CacheListener<Claim>>();
  isSynced = true;
  isAbsent = false;

  constructor(server: ClaimServer) {
    this.#server = server;
  }

  readonly caches = {
    open: () => ({
      get: (key: string) => this.#entries.get(key),
      entries: () => this.#entries.values(),
      subscribe: (listener: CacheListener<Claim>) => {
        this.#listeners.add(listener);
        for (const entry of this.#entries.values()) listener.added?.(entry);
        return () => this.#listeners.delete(listener);
      },
      status: () => ({ synced: this.isSynced, absent: this.isAbsent }),
      stale: () => undefined,
      whenSynced: async () => {},
      stop: async () => {},
    }),
  } as unknown as CacheOpener;

  show(): void {
    const present = new Map(this.#server.claims().map((claim) => [claim.name, claim]));
    for (const before of [...this.#entries.values()]) {
      if (present.get(before.key)?.uid === before.uid) continue;
      this.#entries.delete(before.key);
      for (const listener of this.#listeners) listener.deleted?.(before);
    }
    for (const [key, value] of present) {
      const before = this.#entries.get(key);
      if (before?.resourceVersion === value.resourceVersion) continue;
      const entry = { key, uid: value.uid, resourceVersion: value.resourceVersion, value };
      this.#entries.set(key, entry);
      for (const listener of this.#listeners) {
        if (before === undefined) listener.added?.(entry);
        else listener.updated?.(entry, before);
      }
    }
  }
}
