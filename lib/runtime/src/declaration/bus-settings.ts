import { isLoopback } from '@quartermaster/kernel';
import { type ConfigOf, defineConfig } from '@quartermaster/service';
import * as z from 'zod';

const file = z.string().min(1).optional();

/** Which bus a role publishes on and listens to. The same settings for every role. Credentials are read from files, never from the settings themselves. */
export const busSettings = defineConfig(
  {
    'nats-servers': z
      .array(
        z
          .string()
          .min(1)
          .refine((server) => !server.includes('@'), 'must not hold credentials: use nats-user and nats-password-file, or nats-token-file'),
      )
      .min(1)
      .optional()
      .describe('NATS servers with JetStream. Default: no bus outside of the process.'),
    'nats-user': z.string().min(1).optional().describe('User name for NATS.'),
    'nats-password-file': file.describe('File with the password of that user.'),
    'nats-token-file': file.describe('File with a token for NATS, instead of a user name and a password.'),
    'nats-ca-file': file.describe('PEM certificate authorities of the NATS servers. Default: those of the system.'),
    'nats-cert-file': file.describe('PEM client certificate for NATS.'),
    'nats-key-file': file.describe('PEM key of the client certificate.'),
  },
  {
    rules: [
      (config) => together(config, 'nats-user', 'nats-password-file'),
      (config) => together(config, 'nats-cert-file', 'nats-key-file'),
      (config) =>
        config['nats-token-file'] !== undefined && config['nats-user'] !== undefined
          ? { key: 'nats-token-file', message: 'must not be set together with nats-user' }
          : undefined,
      (config) => {
        const { 'nats-servers': servers, 'nats-user': user, 'nats-token-file': token, 'nats-ca-file': ca, 'nats-cert-file': cert } = config;
        const hasCredentials = user !== undefined || token !== undefined;
        if (!hasCredentials || ca !== undefined || cert !== undefined || !isReadable(servers)) return undefined;
        return {
          key: 'nats-servers',
          message:
            'must be tls:// beyond this machine when there are credentials, or nats-ca-file must be set: they would be sent in plain text',
        };
      },
    ],
  },
);

export type BusConfig = ConfigOf<typeof busSettings>;

/** Whether somebody on the way could read what is sent. One server with tls:// makes all connections encrypted. */
function isReadable(servers: readonly string[] = []): boolean {
  if (servers.some((server) => server.startsWith('tls:'))) return false;
  return servers.some((server) => !isLoopback(URL.parse(server.includes('://') ? server : `nats://${server}`)?.hostname ?? ''));
}

interface Problem {
  readonly key: string;
  readonly message: string;
}

function together(config: Readonly<Record<string, unknown>>, one: string, other: string): Problem | undefined {
  if ((config[one] === undefined) === (config[other] === undefined)) return undefined;
  return {
    key: config[one] === undefined ? other : one,
    message: `must be set together with ${config[one] === undefined ? one : other}`,
  };
}
