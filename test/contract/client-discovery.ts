import { discover, discoverKind, kinds, serverVersion } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import type { ContractServer } from './contract-server.ts';

/** What the server tells about itself. */
export function describeDiscovery(server: () => ContractServer): void {
  const all = async () => await discover(server().client.transport);

  describe('discovery', () => {
    it('lists kinds of the core group with scope, verbs and short names', async () => {
      const found = (await all()).find(({ group, plural }) => group === '' && plural === 'configmaps');
      expect(found).toMatchObject({ version: 'v1', kind: 'ConfigMap', namespaced: true, preferred: true, shortNames: ['cm'] });
      expect(found?.verbs.toSorted()).toEqual(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']);
    });

    it('lists kinds of named groups', async () => {
      const found = (await all()).find(({ group, plural }) => group === 'apps' && plural === 'deployments');
      expect(found).toMatchObject({ version: 'v1', kind: 'Deployment', namespaced: true, preferred: true });
    });

    it('tells cluster-scoped kinds from namespaced ones', async () => {
      const found = (await all()).filter(({ group }) => group === '');
      const scope = (wanted: string) => found.find(({ plural }) => plural === wanted)?.namespaced;
      expect([scope('nodes'), scope('namespaces'), scope('pods')]).toEqual([false, false, true]);
    });

    it('lists subresources with their kind and not as kinds of their own', async () => {
      const found = await all();
      const pods = found.find(({ group, plural }) => group === '' && plural === 'pods');
      expect(pods?.subresources).toEqual(expect.arrayContaining(['binding', 'eviction', 'exec', 'log', 'portforward', 'proxy', 'status']));
      const deployments = found.find(({ group, plural }) => group === 'apps' && plural === 'deployments');
      expect(deployments?.subresources.toSorted()).toEqual(['scale', 'status']);
      expect(found.filter(({ plural }) => plural.includes('/'))).toEqual([]);
    });

    it('names each kind of each version once', async () => {
      const names = (await all()).map(({ group, version, plural }) => `${group}/${version}/${plural}`);
      expect(new Set(names).size).toBe(names.length);
    });

    it('agrees with every kind that we declare', async () => {
      const served = (await all()).map(({ group, version, kind, plural, namespaced }) => ({ group, version, kind, plural, namespaced }));
      expect(served).toEqual(expect.arrayContaining(Object.values(kinds)));
    });

    it('finds a kind by its group and name', async () => {
      const found = await discoverKind(server().client.transport, { group: 'batch', kind: 'Job' });
      expect(found).toMatchObject({ version: 'v1', plural: 'jobs', preferred: true });
    });

    it('finds nothing for a kind or a group that is not served', async () => {
      const { transport } = server().client;
      expect(await discoverKind(transport, { group: 'batch', kind: 'Widget' })).toBeUndefined();
      expect(await discoverKind(transport, { group: 'no.such.group', kind: 'Job' })).toBeUndefined();
    });

    it('gives what the client can use as a kind', async () => {
      const found = await discoverKind(server().client.transport, { group: '', kind: 'Namespace' });
      if (found === undefined) throw new Error('the server serves namespaces');
      expect((await server().client.get(found, { name: 'default' })).kind).toBe('Namespace');
    });
  });

  describe('the version of the server', () => {
    it('is a Kubernetes version', async () => {
      const version = await serverVersion(server().client.transport);
      expect(version.gitVersion).toMatch(new RegExp(`^v${version.major}\\.${version.minor.replace(/\D+$/, '')}\\.\\d+`));
    });
  });
}
