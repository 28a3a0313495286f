import { type HostnameRules, hostnameRules } from '../hostnames/hostname-rules.ts';
import type { LeaseSettings } from '../leases/lease-context.ts';
import type { ClusterSettings } from './cluster-role.ts';

/** What parts of the service are told of the settings of leases. */
export function leaseSettingsOf(config: ClusterSettings): LeaseSettings {
  const runtimeClass = config['deployment-runtime-class'];
  const gateway = config['gateway-namespace'];
  return {
    manifestNamespace: config['k8s-manifest-ns'],
    objects: {
      hasNetworkPolicies: config['deployment-network-policies-enabled'],
      publicHostname: config['cluster-public-hostname'] ?? '',
      pullSecret: config['docker-image-pull-secrets-name'],
      gpuRuntimeClass: runtimeClass === 'none' ? '' : runtimeClass,
      sensitiveEnv: config['sensitive-env'],
      ingressControllers: config['deployment-ingress-controllers'],
      ingressNamespaces: gateway === '' ? [] : [gateway],
      addressPool: config['metal-lb-pool'],
    },
    permissions: config['deployment-permissions'],
    terms: { ingressDomain: config['deployment-ingress-domain'] ?? '', staticHosts: config['deployment-ingress-static-hosts'] },
    deadlines: { manifestTimeoutMs: config['manifest-timeout'], unhealthyTimeoutMs: config['lease-unhealthy-timeout'] },
  };
}

export const hostnameRulesOf = (config: ClusterSettings): HostnameRules =>
  hostnameRules({
    blocked: config['blocked-hostnames'],
    ingressDomain: config['deployment-ingress-domain'] ?? '',
    publicHostname: config['cluster-public-hostname'] ?? '',
  });

/** Of both fuses: leases that were too many at once stay until a person approves, however few are left of them. */
export const fuseLimitsOf = (config: ClusterSettings) => ({
  windowMs: config['lease-removal-window'],
  maxRemovals: config['lease-removal-max'],
  maxShare: config['lease-removal-share'],
  untilApproved: true,
  approveFlags: '--role cluster',
});
