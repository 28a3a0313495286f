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
    .describe('Namespace of the Manifests, ProviderHosts and ProviderLeasedIPs of all leases.'),
  'manifest-timeout': duration({ min: '1s' })
    .prefault('5m')
    .describe('How long a lease may wait for its manifest before the market is asked to close it.'),
  'lease-unhealthy-timeout': duration({ min: '1s' })
    .prefault('2h')
    .describe(
      'How long replicas of a lease may be missing without a break before the market is asked to close the lease, and how long replicas may take to start before they count as missing. Time in which the lease cannot be observed does not count.',
    ),
  'lease-removal-window': duration({ min: '1s' })
    .prefault('1m')
    .describe('Time within which leases that end, or exceed a deadline, count together for lease-removal-max and lease-removal-share.'),
  'lease-removal-max': z
    .number()
    .int()
    .min(1)
    .default(5)
    .describe(
      'How many leases may end within lease-removal-window. Where there are more, and more than lease-removal-share, they wait for `quartermaster removals approve ID --role cluster`.',
    ),
  'lease-removal-share': z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of all leases that may end within lease-removal-window; it counts where it is more than lease-removal-max.'),
  'lease-retention': duration({ min: '1s' })
    .prefault('7d')
    .describe('How long the TenantLease of an ended lease is kept, with its TenantShells.'),
  'sensitive-env': z
    .array(name)
    .default(['*PASSWORD*', '*SECRET*', '*TOKEN*', '*_KEY'])
    .describe(
      'Names of environment variables whose values are kept in Secrets; * stands for any characters, and letter case does not matter.',
    ),
  'deployment-permissions': z
    .array(z.enum(['logs', 'events', 'deployment']))
    .default(['logs', 'events', 'deployment'])
    .describe(
      'What services may ask to read of their own lease in Kubernetes (params.permissions.read). Manifests that ask for anything else are refused; leases keep what they were given before.',
    ),
  'deployment-network-policies-enabled': z
    .boolean()
    .default(true)
    .describe('Whether leases are isolated by NetworkPolicies. They take effect only where the network plugin enforces them.'),
  'deployment-blocked-networks': z
    .array(network)
    .default([])
    .describe(
      'Networks (CIDRs) that tenants must not reach, in addition to private, link-local and metadata addresses and those of nodes and pods.',
    ),
  'deployment-runtime-class': z
    .string()
    .default('nvidia')
    .describe('RuntimeClass of pods with NVIDIA GPUs; "none" or empty where the cluster needs none.'),
  'docker-image-pull-secrets-name': z
    .string()
    .default('')
    .describe(
      'Name of a Secret with registry credentials for services that have none of their own. Something else must create it in the namespace of each lease.',
    ),
  'deployment-ingress-controllers': z
    .array(name)
    .default(['ingress-nginx', 'traefik'])
    .describe(
      'Values of the label app.kubernetes.io/name of the namespaces and pods of ingress controllers: requests for hostnames are let in from them.',
    ),
  'gateway-namespace': z
    .string()
    .default('')
    .describe('Namespace of the Gateway API gateway that serves hostnames: requests for them are let in from it.'),
  'metal-lb-pool': z.string().default('').describe('MetalLB address pool for leased IP addresses; the default pool unless given.'),
} as const;
