import { type ConfigOf, defineConfig, duration } from '@quartermaster/service';
import * as z from 'zod';

const port = z.number().int().min(0).max(65_535);

/** What the inventory operator can be told. */
export const inventorySettings = defineConfig(
  {
    'inventory-config': z
      .string()
      .min(1)
      .optional()
      .describe('File that says what is sold: storage classes offered, nodes and storage excluded. Followed while it changes.'),
    'inventory-namespace': z.string().min(1).default('quartermaster').describe('Namespace of the lease and of the GPU overrides.'),
    'cluster-id': z
      .string()
      .min(1)
      .optional()
      .describe('Name of this cluster in snapshots and topics; the uid of the namespace kube-system unless given.'),
    'inventory-host': z.string().min(1).default('127.0.0.1').describe('Address to serve on. Beyond loopback, TLS is needed.'),
    'inventory-grpc-port': port.default(8081).describe('Port of the gRPC API; 0 takes any free one.'),
    'inventory-rest-port': port.default(8080).describe('Port of the REST API; 0 takes any free one.'),
    'inventory-tls-cert-file': z.string().min(1).optional().describe('PEM certificate of the server. Followed while it changes.'),
    'inventory-tls-key-file': z.string().min(1).optional().describe('PEM key of the server.'),
    'inventory-client-ca-file': z.string().min(1).optional().describe('PEM authorities of client certificates that may call.'),
    'nats-servers': z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('NATS servers with JetStream on which the inventory is published; nowhere unless given.'),
    'inventory-publish-period': duration({ min: '1ms' }).prefault('50ms').describe('Changes within this time are published together.'),
    'inventory-hardware-keep': duration({ min: '1s' })
      .prefault('1h')
      .describe('How long the hardware facts of a node are kept after the node is gone.'),
    'gpu-database-url': z.url().optional().describe('Where a newer GPU database is read from; the shipped one alone unless given.'),
    'gpu-database-period': duration({ min: '10s' }).prefault('5m').describe('How often the GPU database is looked for.'),
  },
  {
    rules: [
      (config) =>
        (config['inventory-tls-cert-file'] === undefined) === (config['inventory-tls-key-file'] === undefined)
          ? undefined
          : { key: 'inventory-tls-cert-file', message: 'must be given together with inventory-tls-key-file' },
      (config) =>
        config['inventory-client-ca-file'] === undefined || config['inventory-tls-cert-file'] !== undefined
          ? undefined
          : { key: 'inventory-client-ca-file', message: 'needs inventory-tls-cert-file: clients show certificates over TLS only' },
    ],
  },
);

export type InventorySettings = ConfigOf<typeof inventorySettings>;
