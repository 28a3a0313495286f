import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ApplyOutcome, HostAssignments, HostSources } from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { definedSteps, StatusError, seededRandom, silentLog } from '@quartermaster/kernel';
import { KeyRing, WriteBatch } from '@quartermaster/store';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@quartermaster/store/embedded';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { times } from '../support/soak.ts';
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './start-api-process.ts';

/** Calls that are under way at once, a third of each sort. */
const calls = times(340, 1_000);
const sources = 10;
/** What a node set has, or shall have. */
const size = 2;
/** Each round something else dies in the middle: the API at one of the steps that the code names, or the database. */
const rounds = [...definedSteps('transaction'), undefined].map((step, round) => ({
  round,
  step,
  victim: step === undefined ? 'PostgreSQL' : `the API at ${step}`,
}));
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
  const first = await startTestFulfillment({ databaseUrl: postgres.url, keys, directory });
  const token = await first.token({ name: 'root', role: 'admin' });
  for (const { round } of rounds) await fill(first, round);
  await first.stop();
  options = { databaseUrl: postgres.url, keys, directory, token };
});

afterAll(async () => {
  for (const each of started) await each.close();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

const count = Math.floor(calls / 3);
const numbers = Array.from({ length: count }, (_, index) => index);
const claiming = (round: number, index: number): string => `claiming-${round}-${index}`;
const releasing = (round: number, index: number): string => `releasing-${round}-${index}`;
const heldBy = (round: number, index: number): string[] => Array.from({ length: size }, (_, at) => `held-${round}-${index}-${at}`);
const freeOf = (round: number): string[] => Array.from({ length: (size + 1) * count }, (_, index) => `free-${round}-${index}`);

let machines = 0;

/** Hosts of a class of its own: free ones, some that clusters have, and some that sources brought. */
async function fill(service: TestFulfillment, round: number): Promise<void> {
  const { kinds } = service.fulfillment;
  const metadata = { creationTimestamp: timestampFromMs(1_700_000_000_000), tenants: ['shared'] };
  const hostClass = `c${round}`;
  // Ready to be claimed, each a machine of its own.
  const host = (id: string, cluster = '') => {
    machines += 1;
    const bootMac = `52:54:00:${machines
      .toString(16)
      .padStart(6, '0')
      .replaceAll(/(..)(?=.)/g, '$1:')}`;
    const spec = { class: hostClass, rack: `r${machines % 20}`, bootMac, bmc: { url: `ipmi://${id}.example.com` } };
    return create(priv.HostSchema, { id, metadata, spec, status: { cluster, state: priv.HostState.READY } });
  };
  const cluster = (id: string, hosts: readonly string[] = []) =>
    create(priv.ClusterSchema, {
      id,
      metadata,
      spec: { template: 't', nodeSets: { w: { hostClass, size } } },
      status: { nodeSets: hosts.length === 0 ? {} : { w: { hostClass, size: hosts.length, hosts: [...hosts] } } },
    });
  await service.database.transaction([], async (tx) => {
    const batch = new WriteBatch();
    kinds.host_classes.store.create(batch, create(priv.HostClassSchema, { id: hostClass, metadata }));
    for (const id of freeOf(round)) kinds.hosts.store.create(batch, host(id));
    for (const index of numbers) {
      const held = heldBy(round, index);
      for (const id of held) kinds.hosts.store.create(batch, host(id, releasing(round, index)));
      kinds.clusters.store.create(batch, cluster(releasing(round, index), held));
      kinds.clusters.store.create(batch, cluster(claiming(round, index)));
    }
    await batch.flush(tx);
  });
  const known = Map.groupBy(numbers, sourceOf);
  for (const [source, mine] of known) {
    const hosts = mine.map((index) => ({ sourceId: `old-${round}-${index}`, rack: 'before' }));
    await service.admin.client(HostSources).applyHosts({ source, hosts });
  }
}

const sourceOf = (index: number): string => `s${index % sources}`;

/** One call, which may be made again, and what it must have done once it was acknowledged. */
interface Work {
  readonly name: string;
  call(): Promise<void>;
  isAcknowledged: boolean;
}

/** Whether it may have been done or not: to be made again. */
function isUnsure(thrown: unknown): boolean {
  return thrown instanceof StatusError && ['unavailable', 'aborted', 'deadline_exceeded'].includes(thrown.code);
}

const assignments = () => api.channel.client(HostAssignments);

function worksOf(round: number): Work[] {
  const made: Omit<Work, 'isAcknowledged'>[] = numbers.flatMap((index) => [
    {
      name: claiming(round, index),
      call: async () => {
        const { hosts, missing } = await assignments().claimHosts({ cluster: claiming(round, index), nodeSet: 'w', allOrNothing: true });
        expect([hosts.length, missing]).toEqual([size, 0]);
        promised.set(claiming(round, index), hosts.toSorted());
      },
    },
    {
      name: releasing(round, index),
      call: async () => {
        await assignments().releaseHosts({ cluster: releasing(round, index) });
      },
    },
    {
      name: `apply-${round}-${index}`,
      call: async () => {
        const facts = [
          { sourceId: `new-${round}-${index}`, serial: `SN-${round}-${index}`, rack: 'after' },
          { sourceId: `old-${round}-${index}`, rack: 'after' },
        ];
        const { hosts } = await api.channel.client(HostSources).applyHosts({ source: sourceOf(index), hosts: facts });
        for (const { outcome } of hosts) {
          expect([ApplyOutcome.CREATED, ApplyOutcome.UPDATED, ApplyOutcome.UNCHANGED]).toContain(outcome);
        }
      },
    },
  ]);
  const random = seededRandom(round + 1);
  return made
    .map((work) => ({ work, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ work }) => ({ ...work, isAcknowledged: false }));
}

const promised = new Map<string, readonly string[]>(); // cluster -> hosts that it was told it has

async function everything<M extends { readonly id: string }>(
  list: (cursor: string) => Promise<{ readonly items: M[]; readonly nextCursor: string }>,
): Promise<ReadonlyMap<string, M>> {
  const found = new Map<string, M>();
  for (let cursor = '', isFirst = true; isFirst || cursor !== ''; isFirst = false) {
    const page = await list(cursor);
    for (const object of page.items) found.set(object.id, object);
    cursor = page.nextCursor;
  }
  return found;
}

const readHosts = () => everything((cursor) => api.channel.client(priv.Hosts).list({ limit: 1000, cursor, skipTotal: true }));
const readClusters = () => everything((cursor) => api.channel.client(priv.Clusters).list({ limit: 1000, cursor, skipTotal: true }));

/**
 * Hosts and clusters of one moment. A call whose caller gave up may still be under way in the API: they are read until nothing has changed between two readings, so
 * that what was read stood so at the moment between them.
 */
async function readAll(): Promise<readonly [ReadonlyMap<string, priv.Host>, ReadonlyMap<string, priv.Cluster>]> {
  const read = () => vi.waitFor(() => Promise.all([readHosts(), readClusters()]), patiently);
  const versions = (all: Awaited<ReturnType<typeof read>>): string =>
    all.flatMap((objects) => [...objects.values()].map(({ id, metadata }) => `${id}@${metadata?.version}`)).join();
  for (let before = await read(); ; ) {
    const after = await read();
    if (versions(before) === versions(after)) return after;
    before = after;
  }
}

/** Looks at all that is stored: clusters and hosts agree, no host is in two, none is lost, and what was acknowledged is there. */
async function judge(round: number, works: readonly Work[]): Promise<void> {
  const [hosts, clusters] = await readAll();
  const acknowledged = new Set(works.filter(({ isAcknowledged }) => isAcknowledged).map(({ name }) => name));
  for (const id of [...freeOf(round), ...numbers.flatMap((index) => heldBy(round, index))]) expect(hosts.get(id)?.id).toBe(id);
  const owners = new Map<string, string>(); // host -> the cluster that lists it
  for (const [id, { status }] of clusters) {
    for (const host of status?.nodeSets['w']?.hosts ?? []) {
      expect([host, owners.get(host)]).toEqual([host, undefined]);
      owners.set(host, id);
    }
  }
  for (const [id, { status }] of hosts) expect([id, status?.cluster ?? '']).toEqual([id, owners.get(id) ?? '']);
  const listed = (id: string): readonly string[] => (clusters.get(id)?.status?.nodeSets['w']?.hosts ?? []).toSorted();
  const bySource = new Map([...hosts.values()].map((host) => [`${host.status?.source?.name}/${host.status?.source?.id}`, host]));
  expect(bySource.size).toBe([...hosts.values()].filter(({ status }) => status?.source !== undefined).length + 1);
  for (const index of numbers) {
    const [claimer, releaser] = [claiming(round, index), releasing(round, index)];
    if (acknowledged.has(claimer)) expect(listed(claimer)).toEqual(promised.get(claimer));
    expect([0, size]).toContain(listed(claimer).length);
    if (acknowledged.has(releaser)) expect(listed(releaser)).toEqual([]);
    expect([[], heldBy(round, index)]).toContainEqual(listed(releaser));
    const [brought, old] = ['new', 'old'].map((which) => bySource.get(`${sourceOf(index)}/${which}-${round}-${index}`));
    if (acknowledged.has(`apply-${round}-${index}`)) expect(brought?.spec?.rack).toBe('after');
    // Both of a call, or none.
    expect([old?.spec?.rack, brought?.spec?.rack]).toEqual(brought === undefined ? ['before', undefined] : ['after', 'after']);
  }
}

describe(`${calls} claims, releases and applies at once`, () => {
  it.each(rounds)(
    'with $victim killed among them, give no host twice, lose none and keep what was acknowledged (round $round)',
    async ({ round, step }) => {
      for (const each of started.splice(0)) await each.close();
      const start = async (at?: string): Promise<void> => {
        api = await startApiProcess({ ...options, step: at });
        started.push(api);
      };
      // After more transactions than a start needs, amid all of them.
      await start(step === undefined ? undefined : `${step}@${count}`);
      const works = worksOf(round);
      let done = 0;
      const third = Promise.withResolvers<void>();
      const run = async (work: Work): Promise<void> => {
        try {
          await work.call();
          work.isAcknowledged = true;
          done += 1;
          if (done >= count) third.resolve();
        } catch (thrown) {
          if (!isUnsure(thrown)) throw thrown;
        }
      };
      const running = Promise.all(works.map(run));
      await Promise.race([step === undefined ? third.promise : api.ended, running]);
      if (step === undefined) process.kill(await vi.waitUntil(() => postgres.pid, patiently), 'SIGKILL');
      else await start();
      await running;
      const unsure = works.filter(({ isAcknowledged }) => !isAcknowledged);
      expect(unsure.length).toBeGreaterThan(0);
      expect(unsure.length).toBeLessThan(works.length);
      await judge(round, works);
      // Made again until it is acknowledged, each is done once.
      const left = unsure.values();
      const repeat = async (): Promise<void> => {
        for (const work of left) {
          await vi.waitFor(async () => {
            await run(work);
            expect(work.isAcknowledged).toBe(true);
          }, patiently);
        }
      };
      await Promise.all(Array.from({ length: 8 }, repeat));
      await judge(round, works);
      const hosts = await readHosts();
      const ofRound = [...hosts.values()].filter(({ spec }) => spec?.class === `c${round}`);
      expect(ofRound.filter(({ status }) => status?.cluster !== '')).toHaveLength(size * count);
    },
    180_000,
  );
});
