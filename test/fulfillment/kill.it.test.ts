import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment } from '@quartermaster/fulfillment/testing';
import { definedSteps, StatusError, silentLog } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@quartermaster/store/embedded';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './start-api-process.ts';

const writers = 40;
const writesPerRound = 1000;
/** Each round something else dies in the middle: the database, or the API at one of the steps that the code names. */
const rounds = [undefined, ...definedSteps('transaction')].map((step, round) => ({
  round,
  step,
  victim: step === undefined ? 'PostgreSQL' : `the API at ${step}`,
}));
/** More transactions than a start needs, and fewer than a round: it dies amid all writers. */
const transactions = 300;
const patiently = { timeout: 60_000, interval: 50 };

let directory: string;
let postgres: EmbeddedPostgres;
let options: ApiProcessOptions;
let api: ApiProcess;
const started: ApiProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-kill-'));
  postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: silentLog });
  const keys = KeyRing.generate();
  // Makes the tables and the key of tokens.
  const first = await startTestFulfillment({ databaseUrl: postgres.url, keys, directory });
  const token = await first.token({ name: 'root', role: 'admin' });
  await first.stop();
  options = { databaseUrl: postgres.url, keys, directory, token };
  await startApi();
});

afterAll(async () => {
  for (const each of started) await each.close();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

async function startApi(step?: string): Promise<void> {
  api = await startApiProcess({ ...options, step });
  started.push(api);
}

/** Waits for the service, and for its database. */
async function back(): Promise<void> {
  await vi.waitFor(() => hosts().list({ limit: 1, skipTotal: true }), patiently);
}

/** What the callers know of one host. */
interface Known {
  isCreated: boolean;
  /** The title of the last update that was acknowledged. */
  title: string;
  /** Titles that were sent and never answered. */
  readonly unsure: Set<string>;
}

const known = new Map<string, Known>(); // id -> what is known

/** Whether it failed because something is away: then nobody knows what became of it. */
function isAway(thrown: unknown): boolean {
  return thrown instanceof StatusError && thrown.code === 'unavailable';
}

const hosts = () => api.channel.client(priv.Hosts);

/** Creates hosts and updates them, over and over. Whatever is answered is noted. */
async function write(round: number, writer: number, progress: () => void): Promise<void> {
  for (let i = 0; i < writesPerRound / writers / 2; i += 1) {
    const id = `h-${round}-${writer}-${i}`;
    const note: Known = { isCreated: false, title: '', unsure: new Set() };
    known.set(id, note);
    try {
      await hosts().create({ object: { id, spec: { title: 'first', bmc: { user: 'u', password: `p-${id}` } } } });
      note.isCreated = true;
      note.title = 'first';
    } catch (thrown) {
      if (!isAway(thrown)) throw thrown;
      note.unsure.add('first');
      await back();
    }
    progress();
    const title = `second of ${id}`;
    try {
      await hosts().update({ object: { id, spec: { title } }, updateMask: { paths: ['spec.title'] } });
      note.title = title;
    } catch (thrown) {
      // A host whose creation was not answered may never have been made.
      const isMissing = thrown instanceof StatusError && thrown.code === 'not_found' && !note.isCreated;
      if (!isAway(thrown) && !isMissing) throw thrown;
      if (!isMissing) note.unsure.add(title);
      await back();
    }
    progress();
  }
}

/** The feed as one reader sees it who comes back with the last token after every interruption. */
class Reader {
  readonly seen = new Map<string, priv.Host>(); // id -> the newest that was told
  readonly versions = new Map<string, bigint[]>(); // id -> versions in the order in which they were told
  #token = '';
  readonly #ending = new AbortController();
  readonly #reading: Promise<void>;
  readonly begun = Promise.withResolvers<void>();

  constructor() {
    this.#reading = this.#read();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#reading;
  }

  async #read(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        const answers = api.channel
          .client(priv.Events)
          .watch({ bookmarks: true, token: this.#token, filter: 'has(event.host)' }, { signal: this.#ending.signal });
        for await (const { event, token } of answers) {
          this.#token = token;
          this.begun.resolve();
          const { case: kind, value } = event?.payload ?? {};
          if (kind !== 'host' || value === undefined) continue;
          this.seen.set(value.id, value);
          this.versions.set(value.id, [...(this.versions.get(value.id) ?? []), value.metadata?.version ?? -1n]);
        }
      } catch (thrown) {
        if (this.#ending.signal.aborted) return;
        if (!isAway(thrown)) throw thrown;
        await back();
      }
    }
  }
}

async function everything(): Promise<Map<string, priv.Host>> {
  const found = new Map<string, priv.Host>();
  for (let cursor = '', isFirst = true; isFirst || cursor !== ''; isFirst = false) {
    const page = await hosts().list({ limit: 1000, cursor, skipTotal: true });
    for (const host of page.items) {
      expect(found.has(host.id)).toBe(false);
      found.set(host.id, host);
    }
    cursor = page.nextCursor;
  }
  return found;
}

describe('a thousand writes at once', () => {
  it('have steps between which the API can be killed', () => {
    expect(definedSteps('transaction')).toEqual(['transaction/uncommitted', 'transaction/committed']);
  });

  it.each(rounds)(
    'with $victim killed among them, lose nothing that was acknowledged, and the feed has no gap (round $round)',
    async ({ round, step }) => {
      if (step !== undefined) {
        await api.close();
        await startApi(`${step}@${transactions}`);
      }
      const reader = new Reader();
      await reader.begun.promise;
      let written = 0;
      const third = Promise.withResolvers<void>();
      const progress = () => {
        written += 1;
        if (written >= writesPerRound / 3) third.resolve();
      };
      const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(round, writer, progress)));
      await Promise.race([step === undefined ? third.promise : api.ended, writing]);
      if (step === undefined) process.kill(await vi.waitUntil(() => postgres.pid, patiently), 'SIGKILL');
      else await startApi();
      await writing;
      const stored = await vi.waitFor(everything, patiently);
      for (const [id, { isCreated, title, unsure }] of known) {
        const host = stored.get(id);
        if (isCreated) expect(host?.id).toBe(id);
        if (host === undefined) continue;
        expect([title, ...unsure]).toContain(host.spec?.title);
        // An acknowledged second write is not undone, and none is made twice.
        if (title.startsWith('second')) expect(host.spec?.title).toBe(title);
        expect(host.metadata?.version).toBe(host.spec?.title === 'first' ? 0n : 1n);
      }
      expect([...stored.keys()].filter((id) => !known.has(id))).toEqual([]);
      expect([...known].some(([id, { unsure }]) => id.startsWith(`h-${round}-`) && unsure.size > 0)).toBe(true);
      const ofRound = [...stored.values()].filter(({ id }) => id.startsWith(`h-${round}-`));
      expect(ofRound.length).toBeGreaterThan(100);
      await vi.waitFor(() => {
        for (const host of ofRound) expect(reader.seen.get(host.id)).toEqual(host);
      }, patiently);
      await reader.end();
      for (const { id, metadata } of ofRound) {
        const told = reader.versions.get(id) ?? [];
        expect(told).toEqual(told.toSorted((a, b) => Number(a - b)));
        expect(new Set(told)).toEqual(new Set(metadata?.version === 0n ? [0n] : [0n, 1n]));
      }
      // What was told and is not stored was never there.
      expect([...reader.seen.keys()].filter((id) => !stored.has(id))).toEqual([]);
    },
    120_000,
  );

  it('leave every password readable', async () => {
    const [id] = [...known].findLast(([, { isCreated }]) => isCreated) ?? [''];
    expect((await hosts().get({ id, reveal: true })).object?.spec?.bmc?.password).toBe(`p-${id}`);
  });
});
