import { type Clock, isLoopback, type Log } from '@quartermaster/kernel';
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
  'QUARTERMASTER_TEST_SOAK',
  'QUARTERMASTER_TEST_STOP_MS',
  ...clientVariables,
];

export interface RoleConfigOptions {
  readonly roles: readonly Role[];
  /** Every role that there is: a file may hold settings of those that do not run here. */
  readonly known: readonly Role[];
  /** Settings besides those of roles. */
  readonly others: readonly ConfigDefinition[];
  /** Flags that count only where nobody has set anything else. */
  readonly presets?: readonly string[] | undefined;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** The settings of these roles: from the file that QUARTERMASTER_CONFIG names, the environment and the command line. */
export function loadRoleConfig({ roles, known, others, presets, args, environment, clock, log }: RoleConfigOptions): Promise<LiveConfig> {
  return watchConfig(joinConfigs([...others, ...roles.map(({ config }) => config)]), {
    alsoKnown: joinConfigs([...others, ...known.map(({ config }) => config)]),
    reservedVariables,
    file: environment[configFileVariable] || undefined,
    environment,
    presets,
    args,
    clock,
    log,
  });
}

const file = z.string().min(1).optional();

/** Settings of a process that runs a role, whichever it is. */
export const processConfig = defineConfig(
  {
    'log-level': z.enum(logLevels).default('info').meta({ description: 'The lowest level that is logged.', reloadable: true }),
    'admin-host': z
      .string()
      .default('127.0.0.1')
      .describe(
        'Address that /livez, /readyz and /metrics are served on. Beyond loopback, TLS is needed, probes answer with one word, and metrics and reasons need a token or a client certificate.',
      ),
    'admin-port': z.int().min(0).max(65_535).default(0).describe('Their port; 0 takes any free one.'),
    'admin-tls-cert-file': file.describe('PEM certificate of their server. Reloaded when it changes.'),
    'admin-tls-key-file': file.describe('PEM key of their server.'),
    'admin-client-ca-file': file.describe(
      'PEM certificate authorities whose client certificates may read metrics and reasons. Probes need none.',
    ),
  },
  {
    rules: [
      (config) =>
        (config['admin-tls-cert-file'] === undefined) === (config['admin-tls-key-file'] === undefined)
          ? undefined
          : { key: 'admin-tls-cert-file', message: 'must be set together with admin-tls-key-file' },
      (config) =>
        config['admin-client-ca-file'] === undefined || config['admin-tls-cert-file'] !== undefined
          ? undefined
          : { key: 'admin-client-ca-file', message: 'needs admin-tls-cert-file: client certificates need TLS' },
      (config) =>
        config['admin-tls-cert-file'] !== undefined || isLoopback(config['admin-host'])
          ? undefined
          : {
              key: 'admin-host',
              message: 'is beyond loopback, which needs TLS: give admin-tls-cert-file and admin-tls-key-file, or serve on 127.0.0.1',
            },
    ],
  },
);
