import type { Clock, Log } from '@quartermaster/kernel';
import {
  type ConfigDefinition,
  configFileVariable,
  defineConfig,
  joinConfigs,
  type LiveConfig,
  logLevels,
  type Role,
  watchConfig,
} from '@quartermaster/service';
import { z } from 'zod';
import { clientVariables } from '../server/servers.ts';

// Variables with our prefix that are no settings.
const reservedVariables = [
  configFileVariable,
  'QUARTERMASTER_CACHE',
  'QUARTERMASTER_TEST_KUBECONFIG',
  'QUARTERMASTER_TEST_DATABASE_URL',
  ...clientVariables,
];

export interface RoleConfigOptions {
  readonly roles: readonly Role[];
  /** Every role that there is: a file may hold settings of those that do not run here. */
  readonly known: readonly Role[];
  /** Settings besides those of roles. */
  readonly others: readonly ConfigDefinition[];
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** The settings of these roles: from the file that QUARTERMASTER_CONFIG names, the environment and the command line. */
export function loadRoleConfig({ roles, known, others, args, environment, clock, log }: RoleConfigOptions): Promise<LiveConfig> {
  return watchConfig(joinConfigs([...others, ...roles.map(({ config }) => config)]), {
    alsoKnown: joinConfigs([...others, ...known.map(({ config }) => config)]),
    reservedVariables,
    file: environment[configFileVariable] || undefined,
    environment,
    args,
    clock,
    log,
  });
}

/** Settings of a process that runs a role, whichever it is. */
export const processConfig = defineConfig({
  'log-level': z.enum(logLevels).default('info').meta({ description: 'The lowest level that is logged.', reloadable: true }),
  'admin-host': z.string().default('127.0.0.1').describe('Address that /livez, /readyz and /metrics are served on.'),
  'admin-port': z.int().min(0).max(65_535).default(0).describe('Their port; 0 takes any free one.'),
});
