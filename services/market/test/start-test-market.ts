import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalTokenOptions } from '@quartermaster/auth';
import { type Clock, type Log, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { startRoleServers } from '@quartermaster/runtime/host';
import { failed, Health, healthy, Metrics } from '@quartermaster/service';
import { KeyRing, migrate, openDatabase } from '@quartermaster/store';
import { guardChanges, startTestPostgres, type TestPostgres } from '@quartermaster/store/testing';
import * as z from 'zod';
import { type AccessSettings, accessShape } from '../src/access/index.ts';
import { SdlReader } from '../src/sdl/sdl-reader.ts';
import { type Market, type MarketRetention, type MarketTerms, marketMigrations, openMarket } from '../src/serve/market.ts';
import { marketServing } from '../src/serve/market-serving.ts';

export interface TestMarketOptions {
  /** A server that several instances share; each gets a database of its own. Without it, one is started and ends with the service. */
  readonly postgres?: TestPostgres | undefined;
  /** A database that is there, and that is migrated; it is left as it is in the end. */
  readonly databaseUrl?: string | undefined;
  /** Another instance: this one is a replica of it. */
  readonly replicaOf?: TestMarket | undefined;
  /** In the form of the settings: `market-issuers` and so on. */
  readonly access?: Readonly<Partial<AccessSettings>> | undefined;
  readonly terms?: Partial<MarketTerms> | undefined;
  readonly retention?: Partial<MarketRetention> | undefined;
  /** As the setting. Default any number. */
  readonly streamsPerCaller?: number | undefined;
  /** Stands before what reads SDL, and may count. */
  readonly beforeSdl?: ((reader: Pick<SdlReader, 'read'>) => Pick<SdlReader, 'read'>) | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** The caller of a token, with an hour to live. */
export type TestCaller = Omit<LocalTokenOptions, 'lifetimeMs'>;

export interface TestMarket {
  readonly grpcAddress: string;
  readonly restUrl: string;
  readonly databaseUrl: string;
  readonly keys: string;
  readonly directory: string;
  readonly market: Market;
  token(caller: TestCaller): Promise<string>;
  /** As if the file with the settings had changed. */
  updateAccess(changes: Readonly<Partial<AccessSettings>>): void;
  /** A connection of that caller, closed when the service stops. */
  as(caller: TestCaller): RpcChannel;
  /** A connection without a token. */
  anonymous(): RpcChannel;
  readonly admin: RpcChannel;
  readonly operator: RpcChannel;
  /** Who bids for this account. */
  provider(account: string): RpcChannel;
  /** A user of these tenants. */
  tenant(...tenants: readonly string[]): RpcChannel;
  stop(): Promise<void>;
}

/** One for all of a process: its thread takes a while to start, and ends with the process. */
const sdl = new SdlReader({ clock: systemClock });

const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** PostgreSQL for a test file, with databases that are migrated already. */
export async function startMarketPostgres(): Promise<TestPostgres> {
  const prepare = async (url: string): Promise<void> => {
    await migrate({ url }, { ...marketMigrations, log: silentLog });
    await guardChanges(url);
  };
  return await startTestPostgres({ prepare });
}

/** The whole service on free ports of 127.0.0.1. It chooses and expires by itself only where the terms or the clock say so. */
export async function startTestMarket(options: TestMarketOptions = {}): Promise<TestMarket> {
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

async function startParts(options: TestMarketOptions, ends: (() => unknown)[], stop: () => Promise<void>): Promise<TestMarket> {
  const { clock = systemClock, log = silentLog, replicaOf } = options;
  const keys = replicaOf?.keys ?? KeyRing.generate();
  const directory = replicaOf?.directory ?? (await ownDirectory(ends));
  const databaseUrl = replicaOf?.databaseUrl ?? options.databaseUrl ?? (await ownDatabase(options, ends));
  if (options.databaseUrl !== undefined) await migrate({ url: databaseUrl }, { ...marketMigrations, log });
  const access = { ...z.object(accessShape).parse({ 'market-local-key-file': join(directory, 'token-key') }), ...options.access };
  const database = openDatabase({ url: databaseUrl, clock, random: systemRandom, log });
  ends.push(() => database.close());
  const market = await openMarket({
    database,
    keys: KeyRing.parse(keys),
    access,
    sdl: options.beforeSdl?.(sdl) ?? sdl,
    terms: { choiceDelayMs: hourMs, orderLifetimeMs: dayMs, deploymentsPerTenant: 1_000, ...options.terms },
    retention: { historyMs: 90 * dayMs, archiveMs: 90 * dayMs, changesMs: 7 * dayMs, auditMs: 365 * dayMs, ...options.retention },
    version: 'test',
    clock,
    random: systemRandom,
    log,
  });
  ends.push(() => market.stop());
  const servers = await serveOnLoopback(market, options, ends);
  const token = async (caller: TestCaller): Promise<string> => {
    if (market.localTokens === undefined) throw new Error('the settings name no key for local tokens');
    return await market.localTokens.issue({ ...caller, lifetimeMs: hourMs });
  };
  const open = (caller?: TestCaller): RpcChannel => {
    const issued = caller === undefined ? undefined : token(caller);
    const channel = openRpcChannel({ address: servers.grpc, token: issued === undefined ? undefined : () => issued });
    ends.push(() => channel.close());
    return channel;
  };
  return {
    grpcAddress: servers.grpc,
    restUrl: servers.rest,
    databaseUrl,
    keys,
    directory,
    market,
    token,
    updateAccess: (changes) => market.updateAccess({ ...access, ...changes }),
    as: open,
    anonymous: () => open(),
    admin: open({ name: 'admin', role: 'admin' }),
    operator: open({ name: 'operator', role: 'operator' }),
    provider: (account) => open({ name: `agent of ${account}`, role: 'provider', source: account }),
    tenant: (...tenants) => open({ name: `user of ${tenants.join(', ')}`, role: 'tenant', groups: tenants }),
    stop,
  };
}

async function serveOnLoopback(market: Market, options: TestMarketOptions, ends: (() => unknown)[]) {
  const { clock = systemClock, log = silentLog, streamsPerCaller } = options;
  const health = new Health({ clock });
  health.register('database', 'ready', () => (market.database.isReachable() ? healthy : failed('away')));
  const host = {
    prefix: 'market',
    health,
    metrics: new Metrics({ process: false }),
    keep: (_name: string, stop: () => unknown) => void ends.push(stop),
    kubernetes: () => Promise.reject(new Error('there is no cluster')),
    clock,
    log,
  };
  const files = { certFile: undefined, keyFile: undefined, clientCaFile: undefined };
  const config = { host: '127.0.0.1', grpcPort: 0, restPort: 0, certificatePort: 0, streamsPerCaller, ...files };
  return await startRoleServers(host, config, health, marketServing(market, 'test'));
}

async function ownDirectory(ends: (() => unknown)[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-market-'));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function ownDatabase({ postgres }: TestMarketOptions, ends: (() => unknown)[]): Promise<string> {
  if (postgres !== undefined) return await postgres.createDatabase();
  const own = await startMarketPostgres();
  ends.push(() => own.stop());
  return await own.createDatabase();
}
