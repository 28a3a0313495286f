import { randomUUID } from 'node:crypto';
import { failureOf, type KubeClient, type KubeFailure, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';

type ObjectOf<R extends ResourceType> = R extends ResourceType<infer T> ? T : never;

export type ConfigMap = ObjectOf<typeof kinds.configMaps>;
export type Deployment = ObjectOf<typeof kinds.deployments>;
export type StatefulSet = ObjectOf<typeof kinds.statefulSets>;
export type Pod = ObjectOf<typeof kinds.pods>;

/** For what controllers do in their own time. */
export const patience = { timeout: 50_000, interval: 50 };

/** The failure that a request ends with. A request that succeeds, or throws anything else, fails the test. */
export async function failureFrom(request: Promise<unknown>): Promise<KubeFailure> {
  const outcome = await request.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => failureOf(error) ?? error,
  );
  if (outcome instanceof Error) throw outcome;
  return outcome as KubeFailure;
}

export async function failureKind(request: Promise<unknown>): Promise<KubeFailure['kind']> {
  return (await failureFrom(request)).kind;
}

/** The fields that a refused write was refused for, each once. */
export async function refusedFields(request: Promise<unknown>): Promise<string[]> {
  const failure = await failureFrom(request);
  if (failure.kind !== 'invalid' && failure.kind !== 'conflict') throw new Error(`expected invalid or conflict, got ${failure.kind}`);
  return [...new Set(failure.causes.map(({ field }) => field))];
}

/** For cluster-scoped objects, which have no namespace of their own to be alone in. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;

/** A namespace in which pods can be made: they need its default service account. */
export async function podNamespace(server: ContractServer): Promise<string> {
  const namespace = await server.namespace();
  await vi.waitFor(() => server.client.get(kinds.serviceAccounts, { namespace, name: 'default' }), patience);
  return namespace;
}

export function configMap(namespace: string, name: string, data: Record<string, string> = {}): ConfigMap {
  return { metadata: { namespace, name }, data };
}

export function pod(namespace: string, name: string, labels: Record<string, string> = {}): Pod {
  return { metadata: { namespace, name, labels }, spec: { containers: [{ name: 'main', image: 'registry.example/main' }] } };
}

export function deployment(namespace: string, name: string, replicas = 1): Deployment {
  const labels = { app: name };
  return {
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/main' }] } },
    },
  };
}

/** Without replicas, so that its controller makes nothing. */
export function statefulSet(namespace: string, name: string): StatefulSet {
  const { spec } = deployment(namespace, name, 0);
  if (spec === undefined) throw new TypeError('a deployment has a spec');
  const { replicas = 0, selector, template } = spec;
  return { metadata: { namespace, name }, spec: { serviceName: name, replicas, selector, template } };
}

export async function exists<T extends KubeObject>(client: KubeClient, type: ResourceType<T>, object: T): Promise<boolean> {
  const { namespace, name = '' } = object.metadata ?? {};
  return (await client.find(type, { namespace, name })) !== undefined;
}

/** What a server stamps on an object, as text, so that two states compare with `toBe`. */
export const versionOf = (object: KubeObject): string => object.metadata?.resourceVersion ?? '';
