import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalTokenOptions } from '@quartermaster/auth';
import { type Clock, type Log, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { type TlsCertificates, type TlsFiles, watchTls } from '@quartermaster/service';
import { type Database, KeyRing } from '@quartermaster/store';
import { guardChanges, startTestPostgres, type TestPostgres } from '@quartermaster/store/embedded';
import * as z from 'zod';
import { type AccessSettings, accessShape } from '../src/access/index.ts';
import { type Fulfillment, type FulfillmentRetention, migrateFulfillment, openFulfillment } from '../src/serve/fulfillment.ts';
import { startFulfillmentServers } from '../src/serve/start-servers.ts';

export interface TestFulfillmentOptions {
  /** A server that several instances share; each gets a database of its own. Without it, one is started and ends with the service. */
  readonly postgres?: TestPostgres;
  /** The database of another instance: this one is a replica of it. */
  readonly databaseUrl?: string;
  /** The same in all replicas. */
  readonly keys?: string;
  /** The directory of another instance, whose tokens are valid here, too. */
  readonly directory?: string;
  /** In the form of the settings: `fulfillment-issuers` and so on. */
  readonly access?: Readonly<Partial<AccessSettings>>;
  /** Serves with TLS, and with `clientCaFile` on one more port for callers with certificates. The files are followed. */
  readonly tls?: TestTls;
  readonly retention?: Partial<FulfillmentRetention>;
  readonly poolSize?: number;
  readonly clock?: Clock;
  readonly log?: Log;
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
export async function startFulfillment(options: TestFulfillmentOptions = {}): Promise<TestFulfillment> {
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
  const fulfillment = await openFulfillment({
    databaseUrl,
    keys: KeyRing.parse(keys),
    access,
    retention: { changesMs: 7 * dayMs, auditMs: 365 * dayMs, archiveMs: 90 * dayMs, ...options.retention },
    ...(options.poolSize === undefined ? {} : { poolSize: options.poolSize }),
    version: 'test',
    clock,
    random: systemRandom,
    log,
  });
  ends.push(() => fulfillment.stop());
  const probe = () => ({ isOk: fulfillment.database.isReachable(), text: 'test' });
  const live = () => ({ isOk: true, text: 'ok' });
  const certificates = await followCertificates(options, ends);
  const servers = await startFulfillmentServers({ fulfillment, version: 'test', live, ready: probe, ...certificates, clock, log });
  ends.push(() => servers.stop(2_000));
  const token = async (caller: TestCaller): Promise<string> => {
    const { localTokens } = fulfillment;
    if (localTokens === undefined) throw new Error('the settings name no key for local tokens');
    return await localTokens.issue({ ...caller, lifetimeMs: 3_600_000 });
  };
  const open = (caller?: TestCaller): RpcChannel => {
    const issued = caller === undefined ? undefined : token(caller);
    const channel = openRpcChannel({
      address: servers.grpcAddress,
      ...(options.tls === undefined ? {} : { tls: { ca: options.tls.authority } }),
      ...(issued === undefined ? {} : { token: () => issued }),
    });
    ends.push(() => channel.close());
    return channel;
  };
  return {
    grpcAddress: servers.grpcAddress,
    restUrl: servers.restUrl,
    certificateAddress: servers.certificateAddress,
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

async function followCertificates({ tls, log = silentLog }: TestFulfillmentOptions, ends: (() => unknown)[]) {
  if (tls === undefined) return {};
  const { certFile, keyFile, clientCaFile } = tls;
  const follow = async (files: TlsFiles): Promise<TlsCertificates> => {
    const certificates = await watchTls(files, { log });
    ends.push(() => certificates.close());
    return certificates;
  };
  return {
    tls: await follow({ certFile, keyFile }),
    ...(clientCaFile === undefined ? {} : { mutualTls: await follow({ certFile, keyFile, clientCaFile }) }),
  };
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
