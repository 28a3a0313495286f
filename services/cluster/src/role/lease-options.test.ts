import { describe, expect, it } from 'vitest';
import { isRefusal } from '../hostnames/normal-hostname.ts';
import { clusterRole } from './cluster-role.ts';
import { fuseLimitsOf, hostnameRulesOf, leaseSettingsOf } from './lease-options.ts';

const written = {
  'k8s-manifest-ns': 'manifests',
  'sensitive-env': ['*PIN*'],
  'blocked-hostnames': ['.blocked.example'],
  'deployment-ingress-domain': 'tenants.example',
  'deployment-ingress-static-hosts': true,
  'deployment-ingress-controllers': ['contour'],
  'cluster-public-hostname': 'provider.example',
  'gateway-namespace': 'gateways',
  'deployment-permissions': ['logs'],
  'deployment-network-policies-enabled': false,
  'deployment-runtime-class': 'cards',
  'docker-image-pull-secrets-name': 'registry',
  'metal-lb-pool': 'public',
  'manifest-timeout': '7m',
  'lease-unhealthy-timeout': '11m',
  'lease-removal-window': '13m',
  'lease-removal-max': 17,
  'lease-removal-share': 0.19,
};
const configOf = (settings: object) => clusterRole.own.schema.parse(settings);
const config = configOf(written);
const minuteMs = 60_000;

describe('the settings of leases', () => {
  it('reach what they are for', () => {
    expect(leaseSettingsOf(config)).toEqual({
      manifestNamespace: 'manifests',
      objects: {
        hasNetworkPolicies: false,
        publicHostname: 'provider.example',
        pullSecret: 'registry',
        gpuRuntimeClass: 'cards',
        sensitiveEnv: ['*PIN*'],
        ingressControllers: ['contour'],
        ingressNamespaces: ['gateways'],
        addressPool: 'public',
      },
      permissions: ['logs'],
      terms: { ingressDomain: 'tenants.example', staticHosts: true },
      deadlines: { manifestTimeoutMs: 7 * minuteMs, unhealthyTimeoutMs: 11 * minuteMs },
    });
  });

  it('name nothing where nothing is set', () => {
    expect(leaseSettingsOf(configOf({}))).toMatchObject({
      objects: { publicHostname: '', ingressNamespaces: [] },
      terms: { ingressDomain: '', staticHosts: false },
    });
  });

  it.each([
    ['none', ''],
    ['', ''],
    ['nvidia', 'nvidia'],
  ])('have no runtime class of cards where it is none: %j', (runtimeClass, gpuRuntimeClass) => {
    expect(leaseSettingsOf(configOf({ 'deployment-runtime-class': runtimeClass })).objects).toMatchObject({ gpuRuntimeClass });
  });

  it('hold what ends at once until a person approves', () => {
    expect(fuseLimitsOf(config)).toEqual({
      ...{ windowMs: 13 * minuteMs, maxRemovals: 17, maxShare: 0.19 },
      ...{ untilApproved: true, approveFlags: '--role cluster' },
    });
  });
});

it.each([
  ['shop.blocked.example', 'HostnameBlocked', 'taken'],
  ['shop.tenants.example', 'HostnameOfProvider', 'taken'],
  ['provider.example', 'HostnameOfProvider', 'taken'],
  ['shop.example', 'taken', 'taken'],
])('the settings say which hostnames no tenant gets: %s', (hostname, withSettings, without) => {
  const lease = { owner: 'amy', dseq: 1n, gseq: 1, oseq: 1, provider: 'farm' };
  const of = (settings: object): string => {
    const answer = hostnameRulesOf(configOf(settings))(lease, { hostname, service: 'web', externalPort: 80, isStatic: false });
    return isRefusal(answer) ? answer.code : 'taken';
  };
  expect([of(written), of({})]).toEqual([withSettings, without]);
});
