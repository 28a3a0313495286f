import { duration } from '@quartermaster/service';
import * as z from 'zod';
import { parseCidr } from '../networks/cidr.ts';

const name = z.string().min(1);
const network = z.string().refine((text) => parseCidr(text) !== undefined, {
  error: ({ input }) => `"${String(input).slice(0, 80)}" must be a network or an address, such as 203.0.113.0/24 or 2001:db8::/32`,
});

/** Settings of what runs of leases. Names that providers know are theirs. */
export const leaseSettings = {
  'k8s-manifest-ns': z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
    .default('lease')
    .describe('The namespace in which Manifests, ProviderHosts and ProviderLeasedIPs of all leases are.'),
  'manifest-timeout': duration({ min: '1s' })
    .prefault('5m')
    .describe('How long a lease may wait for its manifest before the market is asked to close it.'),
  'lease-unhealthy-timeout': duration({ min: '1s' })
    .prefault('2h')
    .describe(
      'How long a lease may be seen to lack replicas, without a break, before the market is asked to close it, and how long replicas may take to start before they count as lacking. Time in which it cannot be seen does not count.',
    ),
  'lease-removal-window': duration({ min: '1s' })
    .prefault('1m')
    .describe('Leases that end, or are to be closed, within this time count together.'),
  'lease-removal-max': z
    .number()
    .int()
    .min(1)
    .default(5)
    .describe('How many leases may end within lease-removal-window before the rest waits for `quartermaster removals approve`.'),
  'lease-removal-share': z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of all leases that may end within lease-removal-window, where that is more than lease-removal-max.'),
  'lease-retention': duration({ min: '1s' }).prefault('7d').describe('How long the TenantLease of an ended lease is kept.'),
  'sensitive-env': z
    .array(name)
    .default(['*PASSWORD*', '*SECRET*', '*TOKEN*', '*_KEY'])
    .describe(
      'Names of environment variables whose values are kept in Secrets, with * for any characters; upper and lower case are the same.',
    ),
  'deployment-network-policies-enabled': z
    .boolean()
    .default(true)
    .describe('Whether tenants are kept apart by NetworkPolicies. They take effect only where a network plugin carries them out.'),
  'deployment-blocked-networks': z
    .array(network)
    .default([])
    .describe(
      'Networks (CIDRs) that tenants must not reach, besides private, link-local and metadata addresses and those of nodes and pods.',
    ),
  'deployment-runtime-class': z
    .string()
    .default('nvidia')
    .describe('The RuntimeClass of pods with NVIDIA GPUs; none or empty where the cluster needs none.'),
  'docker-image-pull-secrets-name': z
    .string()
    .default('')
    .describe(
      'A Secret with registry credentials that each lease namespace is expected to have, for services that bring none of their own.',
    ),
  'deployment-ingress-controllers': z
    .array(name)
    .default(['ingress-nginx', 'traefik'])
    .describe('Values of app.kubernetes.io/name of namespaces and pods from which requests for hostnames come.'),
  'gateway-namespace': z.string().default('').describe('A namespace from which requests for hostnames come: that of the gateway.'),
  'metal-lb-pool': z.string().default('').describe('The MetalLB address pool for leased IP addresses; the default pool unless given.'),
} as const;
