import { isLoopback } from '@quartermaster/kernel';
import { byteSize, duration } from '@quartermaster/service';
import * as z from 'zod';

const file = z.string().min(1).optional();
const port = (standard: number) => z.number().int().min(0).max(65_535).default(standard);

/** Settings of the listeners for tenants. */
export const gatewaySettings = {
  'gateway-host': z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to serve tenants on. Beyond loopback, gateway-tls-cert-file is required.'),
  'gateway-port': port(8443).describe('Port for tenants, HTTPS and WebSocket; 0 takes any free one.'),
  'gateway-grpc-port': port(8444).describe('Port for tenants, gRPC with the same certificate; 0 takes any free one.'),
  'gateway-tls-cert-file': file.describe(
    'PEM certificate that tenants are shown. Reloaded when it changes. On loopback, one that signs itself is made unless given.',
  ),
  'gateway-tls-key-file': file.describe('PEM key of gateway-tls-cert-file.'),
  'gateway-public-url': z
    .url({ protocol: /^https$/, error: 'must be an https URL, such as https://provider.example:8443' })
    .optional()
    .describe(
      'Where tenants reach gateway-port. It is told to the tenants of leases; unless given, the address itself is told where it is loopback, and else none.',
    ),
  'gateway-public-grpc-address': z
    .string()
    .regex(/^\S+:\d{1,5}$/, 'must be HOST:PORT')
    .optional()
    .describe('Where tenants reach gateway-grpc-port, HOST:PORT.'),
  'gateway-public-ca-file': file.describe(
    'PEM authority of gateway-tls-cert-file, for tenants to check it by. Unless given, they check it as they check any web site.',
  ),
  'gateway-requests-per-second': z
    .number()
    .int()
    .min(0)
    .default(50)
    .describe(
      'Requests per second that each tenant may make on average, four seconds’ worth of them at once; 0: any number. Callers that are not known have a tenth, by address.',
    ),
  'gateway-streams-per-tenant': z.number().int().min(0).default(100).describe('Streams that each tenant may have open; 0: any number.'),
  'gateway-stream-timeout': duration({ min: '1s' })
    .prefault('12h')
    .describe('How long a stream may last before its tenant has to connect again.'),
  'gateway-shell-idle-timeout': duration({ min: '1s' }).prefault('30m').describe('How long a shell may be silent before it is ended.'),
  'gateway-shells-per-minute': z
    .number()
    .int()
    .min(0)
    .default(30)
    .describe('Shells that each tenant may open within a minute at each replica; 0: any number. Each is recorded as a TenantShell.'),
  'gateway-shell-records-per-lease': z
    .number()
    .int()
    .min(1)
    .default(200)
    .describe(
      'How many TenantShells of a lease are kept: the oldest ones are removed. All of them go with its TenantLease: lease-retention.',
    ),
  'gateway-slow-reader-timeout': duration({ min: '1s' })
    .prefault('30s')
    .describe('How long a stream waits for a tenant that takes nothing before it is cut.'),
  'gateway-log-line-max': byteSize().prefault('64Ki').describe('Longest line of a log; longer ones are sent in parts.'),
} as const;

/** Their values. */
export type GatewaySettings = z.output<z.ZodObject<typeof gatewaySettings>>;

type Values = Readonly<Record<string, unknown>>;

/** Rules between them. */
export const gatewayRules = [
  (config: Values) =>
    (config['gateway-tls-cert-file'] === undefined) === (config['gateway-tls-key-file'] === undefined)
      ? undefined
      : { key: 'gateway-tls-cert-file', message: 'must be set together with gateway-tls-key-file' },
  (config: Values) =>
    config['gateway-tls-cert-file'] !== undefined || isLoopback(String(config['gateway-host'] ?? '127.0.0.1'))
      ? undefined
      : {
          key: 'gateway-host',
          message: 'is beyond loopback, which needs TLS: give gateway-tls-cert-file and gateway-tls-key-file, or serve on 127.0.0.1',
        },
] as const;
