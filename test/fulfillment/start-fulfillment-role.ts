import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalTokenOptions, LocalTokens } from '@quartermaster/auth';
import { type FulfillmentSettings, fulfillmentRole, sharedFulfillment } from '@quartermaster/fulfillment/roles';
import * as runtime from '@quartermaster/runtime/testing';
import { type Logger, SharedParts } from '@quartermaster/service';
import type { Database } from '@quartermaster/store';

export interface RunningFulfillmentRole extends Pick<runtime.RunningRole, 'metrics' | 'health' | 'stop'> {
  readonly grpc: string;
  readonly rest: string;
  /** For callers with certificates, where the settings ask for it. */
  readonly certificates: string | undefined;
  readonly token: string;
  readonly tenantToken: string;
  readonly database: Database;
  /** What it says of itself. */
  status(): unknown;
  /** A token for an hour: a busy machine may need more than a minute for a file. */
  issue(caller: Omit<LocalTokenOptions, 'lifetimeMs'>): Promise<string>;
  /** Changes reloadable settings in the configuration file. */
  configure(settings: Partial<FulfillmentSettings>): Promise<void>;
}

/** The role as an executable runs it, with its settings in a file. */
export async function startFulfillmentRole(settings: Readonly<Record<string, unknown>>, log?: Logger): Promise<RunningFulfillmentRole> {
  const folder = await mkdtemp(join(tmpdir(), 'quartermaster-settings-'));
  const file = join(folder, 'settings.yaml');
  const write = (values: object): Promise<void> => writeFile(file, JSON.stringify(values), { mode: 0o600 });
  await write(settings);
  const shared = new SharedParts();
  let found: { readonly localTokens: LocalTokens | undefined; readonly database: Database } | undefined;
  shared.provide(sharedFulfillment, {
    put: (fulfillment) => {
      found = fulfillment;
    },
  });
  const running = await runtime.startRole(fulfillmentRole, { file, shared, log });
  const { localTokens, database } = found ?? {};
  if (localTokens === undefined || database === undefined) throw new Error('the settings name no key for local tokens');
  const issue: RunningFulfillmentRole['issue'] = (caller) => localTokens.issue({ ...caller, lifetimeMs: 3_600_000 });
  const { metrics, health, served } = running;
  return {
    metrics,
    health,
    ...served,
    certificates: served.certificates,
    token: await issue({ name: 'root', role: 'admin' }),
    tenantToken: await issue({ name: 'user', role: 'tenant', groups: ['acme'] }),
    database,
    issue,
    status: () => running.status()?.detail,
    configure: async (newer) => {
      await write({ ...settings, ...newer });
      await running.config.reload();
    },
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
