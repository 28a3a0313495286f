import { readFileSync } from 'node:fs';
import type { NetworkPolicy } from '@quartermaster/kube/shapes';
import { type ConnectionEnd, isLetIn } from '@quartermaster/kube/testing';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const port = 8083;
const folder = new URL('../../operators/inventory/deploy/operator-inventory/', import.meta.url);
const policiesIn = (file: string): readonly NetworkPolicy[] =>
  parseAllDocuments(readFileSync(new URL(file, folder), 'utf8'))
    .map((document) => document.toJS() as NetworkPolicy)
    .filter(({ kind }) => kind === 'NetworkPolicy');

const names = ['quartermaster', 'akash-services', 'lease-of-a-tenant'];
const namespaces = new Map<string, Readonly<Record<string, string>>>([
  ...names.map((name) => [name, { 'kubernetes.io/metadata.name': name }] as const),
  // Whoever may label a namespace of its own cannot give it this label: the API server sets it to the name.
  ['posing', { 'kubernetes.io/metadata.name': 'posing', name: 'akash-services' }] as const,
]);

const ports = [
  { name: 'rest', containerPort: 8080 },
  { name: 'grpc', containerPort: 8081 },
];
const pod = (namespace: string, labels: Readonly<Record<string, string>>, ip = '10.9.9.9'): ConnectionEnd => ({
  ip,
  pod: { namespace, namespaceLabels: namespaces.get(namespace) ?? {}, labels, ports },
});
const named = (name: string) => ({ 'app.kubernetes.io/name': name });
const operator = pod('quartermaster', named('quartermaster-inventory'), '10.1.0.1');

it.each<readonly [string, boolean, ConnectionEnd]>([
  ["the provider's chart", true, pod('akash-services', named('akash-provider'))],
  ["the provider's Kustomize files", true, pod('akash-services', named('provider'))],
  ['a provider by its older label', true, pod('akash-services', { app: 'akash-provider' })],
  ['another pod of the namespace of the provider', false, pod('akash-services', named('akash-node'))],
  ['a pod there without labels', false, pod('akash-services', {})],
  ['a tenant', false, pod('lease-of-a-tenant', { app: 'web' })],
  ['a tenant that poses as the provider', false, pod('lease-of-a-tenant', named('akash-provider'))],
  ['a tenant that poses as a provider by its older label', false, pod('lease-of-a-tenant', { app: 'akash-provider' })],
  ['a namespace that poses as that of the provider', false, pod('posing', named('akash-provider'))],
  ['an agent', false, pod('quartermaster', named('quartermaster-discovery'))],
  ['the console', false, pod('quartermaster', named('quartermaster-console'))],
  ['the operator itself, from another of its pods', false, { ...operator, ip: '10.1.0.2' }],
])('the port for a stock Akash provider is reached by %s: %s', (_who, isReached, from) => {
  const policies = [...policiesIn('network-policy.yaml'), ...policiesIn('akash-provider.yaml')];
  expect(policies).toHaveLength(2);
  expect(isLetIn(policies, { from, to: operator, port, protocol: 'TCP' })).toBe(isReached);
  // The ports that ask for identity are open to all of them, and no other one is.
  expect([8080, 8081, 9090].map((other) => isLetIn(policies, { from, to: operator, port: other, protocol: 'TCP' }))).toEqual([
    true,
    true,
    false,
  ]);
  // Without what opens it, nobody reaches it.
  expect(isLetIn(policiesIn('network-policy.yaml'), { from, to: operator, port, protocol: 'TCP' })).toBe(false);
});
