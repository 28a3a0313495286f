import { duration } from '@quartermaster/service';
import * as z from 'zod';

const file = z.string().min(1).optional();
const address = z
  .string()
  .regex(/^[^\s/]+:\d+$/, 'must be HOST:PORT')
  .optional();
/** A server of others: where it is, and how to know it and be known there. */
export const server = (what: string, prefix: string) => ({
  address: address.describe(`gRPC address of ${what}, as HOST:PORT. With TLS beyond loopback, and where ${prefix}-ca-file is given.`),
  ca: file.describe('PEM authorities of its certificate; those that Node knows unless given. Read again with every connection.'),
  token: file.describe('File with the token to show there, such as one of a service account. Read again for every call.'),
});
const inventory = server('the inventory: of its operator, or of any server of akash.inventory.v1', 'cluster-inventory');
const ip = server('the IP operator; without it, orders with leased addresses are refused', 'cluster-ip-operator');

/** What a replica follows, and how old that may be. */
export const knowledgeSettings = {
  'cluster-inventory-address': inventory.address,
  'cluster-inventory-plain-text': z
    .boolean()
    .default(false)
    .describe(
      'Connect to cluster-inventory-address without TLS, and show no token there: for a server of akash.inventory.v1 that knows neither. Whoever is on the way can change what it says.',
    ),
  'cluster-inventory-ca-file': inventory.ca,
  'cluster-inventory-token-file': inventory.token,
  'cluster-ip-operator-address': ip.address,
  'cluster-ip-operator-ca-file': ip.ca,
  'cluster-ip-operator-token-file': ip.token,
  'inventory-resource-poll-period': duration({ min: '100ms', max: '5m' })
    .prefault('5s')
    .describe('How often to ask the inventory beside its stream, whether what is known is what it has.'),
  'inventory-resource-debug-frequency': z
    .number()
    .int()
    .min(0)
    .default(10)
    .describe('After how many of these the log gets the complete picture, at level debug; 0: never.'),
  'inventory-max-age': duration({ min: '1s', max: '1h' })
    .prefault('30s')
    .describe('How long the inventory, or pods and nodes behind it, may be out of reach before nothing new is promised.'),
};

export type KnowledgeSettings = z.output<z.ZodObject<typeof knowledgeSettings>>;
