import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalTokenOptions } from '@quartermaster/auth';
import { type Clock, type Log, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { startRoleServers } from '@quartermaster/runtime/host';
import { failed, Health, healthy, Metrics, type TlsFiles } from '@quartermaster/service';
import { type Database, KeyRing, openDatabase } from '@quartermaster/store';
import { guardChanges, startTestPostgres, type TestPostgres } from '@quartermaster/store/testing';
import * as z from 'zod';
import { type AccessSettings, accessShape } from '../src/access/index.ts';
import type { AllowedReferences } from '../src/rules/index.ts';
import { type Fulfillment, type FulfillmentRetention, migrateFulfillment, openFulfillment } from '../src/serve/fulfillment.ts';
import { fulfillmentServing } from '../src/serve/fulfillment-serving.ts';

export interface TestFulfillmentOptions {
  /** A server that several instances share; each gets a database of its own. Without it, one is started and ends with the service. */
  readonly postgres?: TestPostgres | undefined;
  /** The database of another instance: this one is a replica of it. */
  readonly databaseUrl?: string | undefined;
  /** The same in all replicas. */
  readonly keys?: string | undefined;
  /** The directory of another instance, whose tokens are valid here, too. */
  readonly directory?: string | undefined;
  /** In the form of the settings: `fulfillment-issuers` and so on. */
  readonly access?: Readonly<Partial<AccessSettings>> | undefined;
  /** Serves with TLS, and with `clientCaFile` on one more port for callers with certificates. The files are followed. */
  readonly tls?: TestTls | undefined;
  readonly retention?: Partial<FulfillmentRetention> | undefined;
  /** What references may name. Default nothing. */
  readonly references?: AllowedReferences | undefined;
  readonly poolSize?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

export interface TestTls extends TlsFiles {
  /** PEM of the authority that the connections of this instance believe. */
  readonly authority: string;
}

/** The caller of a token, with an hour to live. */
export type TestCaller = Omit<LocalTokenOptions, 'lifetimeMs'>;

export interface TestFulfillment {
  readonly grpcAddress: string;
  readonly restUrl: string;
  /** For callers with certificates; undefined unless `tls` asks for it. */
  readonly certificateAddress: string | undefined;
  readonly databaseUrl: string;
  readonly keys: string;
  readonly directory: string;
  readonly database: Database;
  readonly fulfillment: Fulfillment;
  token(caller: TestCaller): Promise<string>;
  /** As if the file with the settings had changed. */
  updateAccess(changes: Readonly<Partial<AccessSettings>>): void;
  /** A connection of that caller, closed when the service stops. */
  as(caller: TestCaller): RpcChannel;
  /** A connection without a token. */
  anonymous(): RpcChannel;
  readonly admin: RpcChannel;
  readonly provider: RpcChannel;
  /** A user of these tenants. */
  tenant(...tenants: readonly string[]): RpcChannel;
  stop(): Promise<void>;
}

const dayMs = 86_400_000;

/** PostgreSQL for a test file, with databases that are migrated already. */
export async function startFulfillmentPostgres(): Promise<TestPostgres> {
  const prepare = async (url: string): Promise<void> => {
    await migrateFulfillment(url, { log: silentLog });
    await guardChanges(url);
  };
  return await startTestPostgres({ prepare });
}

/** The whole service on free ports of 127.0.0.1. */
export async function startTestFulfillment(options: TestFulfillmentOptions = {}): Promise<TestFulfillment> {
  const ends: (() => unknown)[] = []; // in the order of their starts
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    return await startParts(options, ends, stop);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function startParts(options: TestFulfillmentOptions, ends: (() => unknown)[], stop: () => Promise<void>): Promise<TestFulfillment> {
  const { clock = systemClock, log = silentLog, keys = KeyRing.generate() } = options;
  const directory = options.directory ?? (await ownDirectory(ends));
  const databaseUrl = options.databaseUrl ?? (await ownDatabase(options, ends));
  const access = {
    ...z.object(accessShape).parse({ 'fulfillment-local-key-file': join(directory, 'token-key') }),
    ...options.access,
  };
  // A database that was made for this instance is migrated already; one that somebody names need not be.
  if (options.databaseUrl !== undefined) await migrateFulfillment(databaseUrl, { log });
  const database = openDatabase({ url: databaseUrl, poolSize: options.poolSize, clock, random: systemRandom, log });
  ends.push(() => database.close());
  const fulfillment = await openFulfillment({
    database,
    keys: KeyRing.parse(keys),
    access,
    retention: { changesMs: 7 * dayMs, auditMs: 365 * dayMs, archiveMs: 90 * dayMs, ...options.retention },
    references: options.references,
    version: 'test',
    clock,
    random: systemRandom,
    log,
  });
  ends.push(() => fulfillment.stop());
  const servers = await serveOnLoopback(options, fulfillment, ends);
  const token = async (caller: TestCaller): Promise<string> => {
    const { localTokens } = fulfillment;
    if (localTokens === undefined) throw new Error('the settings name no key for local tokens');
    return await localTokens.issue({ ...caller, lifetimeMs: 3_600_000 });
  };
  const open = (caller?: TestCaller): RpcChannel => {
    const issued = caller === undefined ? undefined : token(caller);
    const channel = openRpcChannel({
      address: servers.grpc,
      tls: options.tls && { ca: options.tls.authority },
      token: issued === undefined ? undefined : () => issued,
    });
    ends.push(() => channel.close());
    return channel;
  };
  return {
    grpcAddress: servers.grpc,
    restUrl: servers.rest,
    certificateAddress: servers.certificates,
    databaseUrl,
    keys,
    directory,
    database: fulfillment.database,
    fulfillment,
    token,
    updateAccess: (changes) => fulfillment.updateAccess({ ...access, ...changes }),
    as: open,
    anonymous: () => open(),
    admin: open({ name: 'admin', role: 'admin' }),
    provider: open({ name: 'provider', role: 'provider' }),
    tenant: (...tenants) => open({ name: `user of ${tenants.join(', ')}`, role: 'tenant', groups: tenants }),
    stop,
  };
}

async function serveOnLoopback(
  { tls, clock = systemClock, log = silentLog }: TestFulfillmentOptions,
  fulfillment: Fulfillment,
  ends: (() => unknown)[],
) {
  const health = new Health({ clock });
  health.register('database', 'ready', () => (fulfillment.database.isReachable() ? healthy : failed('away')));
  const host = {
    prefix: 'fulfillment',
    health,
    metrics: new Metrics({ process: false }),
    keep: (_name: string, stop: () => unknown) => void ends.push(stop),
    kubernetes: () => Promise.reject(new Error('there is no cluster')),
    clock,
    log,
  };
  const files = { certFile: tls?.certFile, keyFile: tls?.keyFile, clientCaFile: tls?.clientCaFile };
  const config = { host: '127.0.0.1', grpcPort: 0, restPort: 0, certificatePort: 0, ...files };
  return await startRoleServers(host, config, health, fulfillmentServing(fulfillment, 'test'));
}

async function ownDirectory(ends: (() => unknown)[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-fulfillment-'));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function ownDatabase({ postgres }: TestFulfillmentOptions, ends: (() => unknown)[]): Promise<string> {
  if (postgres !== undefined) return await postgres.createDatabase();
  const own = await startFulfillmentPostgres();
  ends.push(() => own.stop());
  return await own.createDatabase();
}
