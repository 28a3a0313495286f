import type { LocalTokenOptions } from '@quartermaster/auth';
import { type FulfillmentSettings, fulfillmentRole, fulfillmentSettings } from '@quartermaster/fulfillment/roles';
import { systemClock, systemRandom } from '@quartermaster/kernel';
import { createLogger, Health, type Logger, Metrics, type RoleContext, type RoleHandle, SharedParts } from '@quartermaster/service';
import type { Database } from '@quartermaster/store';

export interface RunningRole {
  readonly handle: RoleHandle;
  readonly grpc: string;
  readonly rest: string;
  /** For callers with certificates, where the settings ask for it. */
  readonly certificates: string | undefined;
  readonly token: string;
  readonly tenantToken: string;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly health: Health;
  /** A token for a minute. */
  issue(caller: Omit<LocalTokenOptions, 'lifetimeMs'>): Promise<string>;
  configure(settings: Partial<FulfillmentSettings>): void;
}

/** The role as an executable runs it. */
export async function startRole(
  settings: Readonly<Record<string, unknown>>,
  log: Logger = createLogger({ level: 'error' }),
): Promise<RunningRole> {
  const config = fulfillmentSettings.schema.parse({ 'fulfillment-grpc-port': 0, 'fulfillment-rest-port': 0, ...settings });
  const [problem] = fulfillmentSettings.check(config);
  if (problem !== undefined) throw new Error(`${problem.key} ${problem.message}`);
  const metrics = new Metrics({ process: false });
  const health = new Health();
  let listener: (config: FulfillmentSettings, changed: readonly string[]) => void = () => {};
  let found: Omit<RunningRole, 'handle' | 'metrics' | 'health' | 'configure'> | undefined;
  const role = fulfillmentRole({
    version: '1.2.3',
    started: async ({ localTokens, database }, { grpcAddress, restUrl, certificateAddress }) => {
      if (localTokens === undefined) throw new Error('the settings name no key for local tokens');
      const issue: RunningRole['issue'] = (caller) => localTokens.issue({ ...caller, lifetimeMs: 60_000 });
      const token = await issue({ name: 'root', role: 'admin' });
      const tenantToken = await issue({ name: 'user', role: 'tenant', groups: ['acme'] });
      found = { grpc: grpcAddress, rest: restUrl, certificates: certificateAddress, token, tenantToken, database, issue };
    },
  });
  const context: RoleContext<FulfillmentSettings> = {
    config,
    onConfig: (given) => {
      listener = given;
    },
    log,
    metrics,
    health,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    shared: new SharedParts(),
    fail: (thrown) => {
      throw thrown;
    },
  };
  const handle = await role.start(context);
  if (found === undefined) throw new Error('the role did not say where it is');
  return { handle, metrics, health, configure: (newer) => listener({ ...config, ...newer }, Object.keys(newer)), ...found };
}
