import { accessShape } from '@quartermaster/auth/settings';
import { fieldViolationsOf, millicores } from '@quartermaster/kernel';
import { byteSize, duration } from '@quartermaster/service';
import * as z from 'zod';
import { callerRoles } from '../access/caller-roles.ts';
import { bidSettings } from '../bids/bid-settings.ts';
import { gatewaySettings } from '../gateway/gateway-settings.ts';
import { hostnameSettings } from '../hostnames/hostname-settings.ts';
import { knowledgeSettings } from '../knowledge/knowledge-settings.ts';
import { leaseSettings } from '../leases/lease-settings.ts';
import { type CommitLevel, parseCommitLevel } from '../placement/commit-level.ts';

/** A decimal that is kept exactly. */
const commitLevel = (of: string): z.ZodType<CommitLevel, string | number | undefined> =>
  z
    .union([z.string(), z.number()], { error: 'must be a decimal number of at least 1, such as 1.5' })
    .transform((written, ctx) => {
      try {
        return parseCommitLevel(String(written), of);
      } catch (thrown) {
        ctx.addIssue({ code: 'custom', message: fieldViolationsOf(thrown)[0]?.description ?? 'must be a decimal number of at least 1' });
        return z.NEVER;
      }
    })
    .prefault('1.0')
    .meta({ typeName: 'decimal' })
    .describe(
      `How many times over ${of} is sold. Pods request what was ordered divided by it, rounded up, and keep what was ordered as their limit. 1.0 sells nothing twice.`,
    );

const cpuAmount = z
  .union([z.string(), z.number()])
  .transform((written, ctx) => {
    try {
      return millicores(String(written));
    } catch {
      ctx.addIssue({ code: 'custom', message: 'must be an amount of CPU such as 500m or 2' });
      return z.NEVER;
    }
  })
  .meta({ typeName: 'quantity' });

const file = z.string().min(1).optional();
const share = (standard: number) => z.number().gt(0).max(1).default(standard);
const count = (standard: number) => z.number().int().min(0).default(standard);

export const clusterSettings = {
  ...knowledgeSettings,
  ...hostnameSettings,
  ...leaseSettings,
  ...gatewaySettings,
  'cpu-commit-level': commitLevel('CPU'),
  'memory-commit-level': commitLevel('memory'),
  'storage-commit-level': commitLevel('storage'),
  'cluster-cpu-headroom': cpuAmount.prefault('0').describe('CPU of each node that is never sold.'),
  'cluster-memory-headroom': byteSize().prefault('0').describe('Memory of each node that is never sold.'),
  'cluster-ephemeral-storage-headroom': byteSize().prefault('0').describe('Ephemeral storage of each node that is never sold.'),
  'cluster-gpu-headroom': count(0).describe(
    'GPUs that are never sold, of each node and each model; of all models of a node together where its device plugin cannot tell them apart.',
  ),
  'cluster-storage-headroom': byteSize()
    .prefault('0')
    .describe('Space of each storage class that is never sold; of each node where it is the node’s own.'),
  'cluster-node-port-headroom': count(0).describe('External ports that are never sold.'),
  'cluster-leased-ip-headroom': count(0).describe('Leased addresses that are never sold.'),
  'cluster-node-port-quantity': z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(2_768)
    .describe('External ports of the cluster: those that its Services may have as node ports.'),
  'cluster-pending-lifetime': duration({ min: '1s' })
    .prefault('5m')
    .describe('How long a reservation may wait for its lease before it is given back. A caller may ask for less.'),
  'cluster-pending-max': z
    .number()
    .int()
    .min(1)
    .default(1_000)
    .describe(
      'How many reservations of all owners together may be pending. Each is an object of the cluster, of up to 32 KiB and its plan.',
    ),
  'cluster-pending-per-owner': z.number().int().min(1).default(10).describe('How many reservations of one owner may be pending.'),
  'cluster-pending-owner-share': share(0.5).describe(
    'How much of each resource of the cluster may be pending for one owner; at least as much as its largest node has.',
  ),
  'cluster-pending-share': share(0.9).describe(
    'How much of each resource of the cluster may be pending for all owners together; at least as much as its largest node has.',
  ),
  'cluster-spread': z
    .enum(['apart', 'anywhere'])
    .default('apart')
    .describe('Whether replicas of a unit are kept apart while that wastes nothing. What is accepted does not depend on it.'),
  'cluster-placement-steps': z
    .number()
    .int()
    .min(1_000)
    .default(100_000)
    .describe('Steps after which the search for a place ends with the answer that none was found, though there may be one.'),
  'cluster-advertised-address': z
    .string()
    .regex(/^\S+:\d+$/, 'must be HOST:PORT')
    .optional()
    .describe(
      'Where the other replicas reach the gRPC API of this one, HOST:PORT; where it serves with TLS unless given. Calls that only the leader can answer are sent there.',
    ),
  'cluster-peer-ca-file': file.describe(
    'PEM certificate authorities of the other replicas. Without it, and without TLS, calls that only the leader can answer are not sent on.',
  ),
  'cluster-peer-token-file': file.describe(
    'Token of the service account of this service, which all its replicas have: with it, what tenants send to one that does not lead is sent on to the leader.',
  ),
  'cluster-peer-server-name': z
    .string()
    .min(1)
    .optional()
    .describe('Name in the certificate of the other replicas, where it is not their address.'),
  ...bidSettings,
  ...accessShape('cluster', callerRoles),
};
