import { type KubeObject, kinds, podLog } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { deployment, exists, failureKind, pod, podNamespace, statefulSet, uniqueName } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number; readonly audiences?: readonly string[] };
  readonly status?: { readonly token: string; readonly expirationTimestamp: string };
}

export const evictionOf = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { namespace, name },
});

/** Parts of objects that have a path of their own. */
export function describeSubresources(server: () => ContractServer): void {
  describe('a scale', () => {
    it('of a deployment tells its replicas', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.deployments, deployment(namespace, 'web', 0));
      const scale = await server().client.scale(kinds.deployments, { namespace, name: 'web' });
      expect(scale).toMatchObject({ kind: 'Scale', metadata: { namespace, name: 'web' }, status: { selector: 'app=web' } });
      expect(scale.spec?.replicas ?? 0).toBe(0);
    });

    it('that is set changes the replicas and the generation', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const scale = await server().client.setScale(kinds.statefulSets, { namespace, name: 'store' }, 3);
      expect(scale.spec?.replicas).toBe(3);
      const after = await server().client.get(kinds.statefulSets, { namespace, name: 'store' });
      expect([after.spec?.replicas, after.metadata?.generation]).toEqual([3, 2]);
    });

    it('that is set as a dry run changes nothing', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const ref = { namespace, name: 'store' };
      expect((await server().client.setScale(kinds.statefulSets, ref, 3, { dryRun: true })).spec?.replicas).toBe(3);
      expect((await server().client.get(kinds.statefulSets, ref)).spec?.replicas).toBe(0);
    });

    it('below zero is invalid', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      expect(await failureKind(server().client.setScale(kinds.statefulSets, { namespace, name: 'store' }, -1))).toBe('invalid');
    });

    it('of an object that does not exist is not-found', async () => {
      const namespace = await server().namespace();
      expect(await failureKind(server().client.scale(kinds.deployments, { namespace, name: 'nothing' }))).toBe('not-found');
    });

    it('of a kind that has none is kind-missing', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.configMaps, { metadata: { namespace, name: 'settings' } });
      expect(await failureKind(server().client.scale(kinds.configMaps, { namespace, name: 'settings' }))).toBe('kind-missing');
    });
  });

  describe('a status', () => {
    it('is read with the whole object', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'store' };
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const read = await server().client.get(kinds.statefulSets, ref, { subresource: 'status' });
      expect(read).toMatchObject({ kind: 'StatefulSet', metadata: ref, spec: { replicas: 0 } });
    });

    it('is replaced without touching the spec', async () => {
      const namespace = await podNamespace(server());
      const web = await server().client.create(kinds.pods, pod(namespace, 'web'));
      const changed = {
        ...web,
        spec: { containers: [], ...web.spec, activeDeadlineSeconds: 60 },
        status: { ...web.status, phase: 'Running' },
      };
      const replaced = await server().client.replace(kinds.pods, changed, { subresource: 'status' });
      expect(replaced.status?.phase).toBe('Running');
      expect(replaced.spec).toEqual(web.spec);
    });

    it('with an old resourceVersion is a conflict', async () => {
      const namespace = await podNamespace(server());
      const old = await server().client.create(kinds.pods, pod(namespace, 'web'));
      const running = { ...old, status: { ...old.status, phase: 'Running' } };
      await server().client.replace(kinds.pods, running, { subresource: 'status' });
      const late = { ...old, status: { ...old.status, phase: 'Failed' } };
      expect(await failureKind(server().client.replace(kinds.pods, late, { subresource: 'status' }))).toBe('conflict');
    });
  });

  describe('an eviction', () => {
    it('deletes a pod', async () => {
      const namespace = await podNamespace(server());
      const web = await server().client.create(kinds.pods, pod(namespace, 'web'));
      await server().client.createSubresource(kinds.pods, { namespace, name: 'web' }, 'eviction', evictionOf(namespace, 'web'));
      expect(await exists(server().client, kinds.pods, web)).toBe(false);
    });

    it('of a pod that does not exist is not-found', async () => {
      const namespace = await server().namespace();
      const missing = server().client.createSubresource(kinds.pods, { namespace, name: 'no' }, 'eviction', evictionOf(namespace, 'no'));
      expect(await failureKind(missing)).toBe('not-found');
    });
  });

  describe('a binding', () => {
    const bind = async (namespace: string, nodeName: string) =>
      await server().client.createSubresource(kinds.pods, { namespace, name: 'web' }, 'binding', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name: 'web' },
        target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
      } as KubeObject);

    it('puts a pod on a node', async () => {
      const namespace = await podNamespace(server());
      const nodeName = uniqueName('node');
      await server().client.create(kinds.pods, pod(namespace, 'web'));
      await bind(namespace, nodeName);
      const bound = await server().client.get(kinds.pods, { namespace, name: 'web' });
      expect(bound.spec?.nodeName).toBe(nodeName);
      expect(bound.status?.conditions).toContainEqual(expect.objectContaining({ type: 'PodScheduled', status: 'True' }));
    });

    it('of a pod that has a node is a conflict', async () => {
      const namespace = await podNamespace(server());
      await server().client.create(kinds.pods, pod(namespace, 'web'));
      await bind(namespace, uniqueName('node'));
      expect(await failureKind(bind(namespace, uniqueName('node')))).toBe('conflict');
    });
  });

  describe('a service account token', () => {
    const requestToken = async (namespace: string): Promise<TokenRequest> =>
      await server().client.createSubresource<KubeObject, TokenRequest>(kinds.serviceAccounts, { namespace, name: 'robot' }, 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 600 },
      });

    it('lasts as long as it was asked to', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.serviceAccounts, { metadata: { namespace, name: 'robot' } });
      const { spec, status } = await requestToken(namespace);
      expect(spec.expirationSeconds).toBe(600);
      expect(status?.token.split('.')).toHaveLength(3);
      expect(Date.parse(status?.expirationTimestamp ?? '')).toBeGreaterThan(Date.now());
    });

    it('of an account that does not exist is not-found', async () => {
      const namespace = await server().namespace();
      expect(await failureKind(requestToken(namespace))).toBe('not-found');
    });
  });

  describe('a log', () => {
    const read = async (namespace: string, name: string): Promise<string[]> => {
      const lines: string[] = [];
      for await (const line of podLog(server().client, { namespace, name })) lines.push(line);
      return lines;
    };

    it('of a pod that does not exist is not-found', async () => {
      expect(await failureKind(read(await server().namespace(), 'nothing'))).toBe('not-found');
    });

    it('of a pod without a node is empty or a clean refusal', async () => {
      const namespace = await podNamespace(server());
      await server().client.create(kinds.pods, pod(namespace, 'web'));
      const outcome = await read(namespace, 'web').then(
        (lines) => lines,
        (error: unknown) => failureKind(Promise.reject(error)),
      );
      expect([[], 'bad-request']).toContainEqual(outcome);
    });

    it('of a container that the pod does not have is a bad-request', async () => {
      const namespace = await podNamespace(server());
      await server().client.create(kinds.pods, pod(namespace, 'web'));
      const log = podLog(server().client, { namespace, name: 'web' }, { container: 'other' });
      expect(await failureKind(log.next())).toBe('bad-request');
    });
  });
}
