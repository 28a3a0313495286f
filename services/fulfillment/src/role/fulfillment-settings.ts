import { type ConfigOf, defineConfig, duration, secret } from '@quartermaster/service';
import * as z from 'zod';
import { accessShape } from '../access/index.ts';
import { auditShape } from './audit-settings.ts';

const port = z.number().int().min(0).max(65_535);
const file = z.string().min(1);

/** What the fulfillment service can be told. */
export const fulfillmentSettings = defineConfig(
  {
    'fulfillment-database-url': secret()
      .optional()
      .describe('PostgreSQL 15 or later: postgresql://user:password@host:5432/database. Without it, an embedded server keeps the data.'),
    'fulfillment-database-connections': z.number().int().min(2).max(500).default(10).describe('Connections to the database at most.'),
    'fulfillment-data-directory': file
      .optional()
      .describe(
        'Directory of the embedded PostgreSQL, and of the key ring and the key of local tokens where these have no file of their own.',
      ),
    'fulfillment-key-ring': secret()
      .optional()
      .describe(
        'Keys that encrypt secrets: entries ID:BASE64 of 32 bytes, separated by commas; the first one encrypts, all of them decrypt.',
      ),
    'fulfillment-key-ring-file': file
      .optional()
      .describe('File with the same, one entry in a line. With an embedded database it is made in the data directory unless given.'),
    'fulfillment-host': z.string().min(1).default('127.0.0.1').describe('Address to serve on. Beyond loopback, TLS is needed.'),
    'fulfillment-grpc-port': port.default(8000).describe('Port of the gRPC API; 0 takes any free one.'),
    'fulfillment-rest-port': port.default(8001).describe('Port of the REST API; 0 takes any free one.'),
    'fulfillment-tls-cert-file': file.optional().describe('PEM certificate of the server. Followed while it changes.'),
    'fulfillment-tls-key-file': file.optional().describe('PEM key of the server.'),
    'fulfillment-client-ca-file': file
      .optional()
      .describe('PEM authorities of client certificates, for callers that show one instead of a token: on a port of their own.'),
    'fulfillment-certificate-port': port
      .default(8002)
      .describe('Port of the gRPC API for callers with client certificates; 0 takes any free one.'),
    'fulfillment-service-accounts': z
      .boolean()
      .default(false)
      .describe('Whether service accounts of the Kubernetes cluster that it runs in may call with their tokens.'),
    'fulfillment-adopt-hosts': z
      .boolean()
      .default(false)
      .describe('Whether a source may take over hosts that were created by hand and are the same machines by serial, UUID or MAC address.'),
    'fulfillment-feed-retention': duration({ min: '1m' })
      .prefault('7d')
      .describe('How long a watch that was interrupted can go on where it was.'),
    'fulfillment-archive-retention': duration({ min: '1m' })
      .prefault('90d')
      .describe('How long deleted objects are kept, without their secrets.'),
    ...auditShape,
    ...accessShape,
  },
  {
    rules: [
      (config) =>
        config['fulfillment-database-url'] === undefined && config['fulfillment-data-directory'] === undefined
          ? { key: 'fulfillment-database-url', message: 'must be given, or fulfillment-data-directory for an embedded database' }
          : undefined,
      (config) =>
        config['fulfillment-key-ring'] !== undefined && config['fulfillment-key-ring-file'] !== undefined
          ? { key: 'fulfillment-key-ring', message: 'must not be given together with fulfillment-key-ring-file' }
          : undefined,
      (config) =>
        config['fulfillment-database-url'] !== undefined &&
        config['fulfillment-key-ring'] === undefined &&
        config['fulfillment-key-ring-file'] === undefined
          ? {
              key: 'fulfillment-key-ring-file',
              message: 'must be given, or fulfillment-key-ring: all replicas of a database need the same keys',
            }
          : undefined,
      (config) =>
        (config['fulfillment-tls-cert-file'] === undefined) === (config['fulfillment-tls-key-file'] === undefined)
          ? undefined
          : { key: 'fulfillment-tls-cert-file', message: 'must be given together with fulfillment-tls-key-file' },
      (config) =>
        config['fulfillment-client-ca-file'] === undefined || config['fulfillment-tls-cert-file'] !== undefined
          ? undefined
          : { key: 'fulfillment-client-ca-file', message: 'needs fulfillment-tls-cert-file: clients show certificates over TLS only' },
    ],
  },
);

export type FulfillmentSettings = ConfigOf<typeof fulfillmentSettings>;
