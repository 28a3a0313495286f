import { apiVersionOf, type KubeClient, kinds, type ListOptions } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { configMap, failureKind, pod, podNamespace, uniqueName, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

/** Everything here is listed by a label, since a server puts config maps of its own into a namespace. */
const mine = 'suite=lists';

async function fill(client: KubeClient, namespace: string, names: readonly string[]): Promise<void> {
  const make = (name: string) => ({ ...configMap(namespace, name), metadata: { namespace, name, labels: { suite: 'lists' } } });
  await Promise.all(names.map((name) => client.create(kinds.configMaps, make(name))));
}

const namesOf = (list: {
  readonly items: readonly { readonly metadata?: { readonly name?: string | undefined } | undefined }[];
}): string[] => list.items.map(({ metadata }) => metadata?.name ?? '').sort();

/** Selectors, pages and snapshots of lists. */
export function describeLists(server: () => ContractServer): void {
  const list = async (options: ListOptions) => await server().client.list(kinds.configMaps, options);

  describe('a label selector', () => {
    const labels = [{ tier: 'front', track: 'stable' }, { tier: 'front', track: 'canary' }, { tier: 'back' }, {}] as const;
    const names = ['front-stable', 'front-canary', 'back', 'plain'] as const;

    const select = async (labelSelector: string): Promise<string[]> => {
      const namespace = await podNamespace(server());
      await Promise.all(names.map((name, index) => server().client.create(kinds.pods, pod(namespace, name, labels[index]))));
      return namesOf(await server().client.list(kinds.pods, { namespace, labelSelector }));
    };

    it.each([
      ['tier=front', ['front-canary', 'front-stable']],
      ['tier==back', ['back']],
      ['tier=front,track=stable', ['front-stable']],
      ['tier!=front', ['back', 'plain']],
      ['tier in (front,back)', ['back', 'front-canary', 'front-stable']],
      ['track notin (canary)', ['back', 'front-stable', 'plain']],
      ['track', ['front-canary', 'front-stable']],
      ['!track', ['back', 'plain']],
      ['tier=middle', []],
    ])('%s finds exactly %j', async (labelSelector, found) => {
      expect(await select(labelSelector)).toEqual(found);
    });

    it('that cannot be parsed is a bad-request', async () => {
      expect(await failureKind(list({ namespace: 'default', labelSelector: 'tier in front' }))).toBe('bad-request');
    });
  });

  describe('a field selector', () => {
    it('finds an object by its name', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['a', 'b']);
      expect(namesOf(await list({ namespace, fieldSelector: 'metadata.name=b' }))).toEqual(['b']);
    });

    it('excludes by name', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['a', 'b']);
      expect(namesOf(await list({ namespace, labelSelector: mine, fieldSelector: 'metadata.name!=b' }))).toEqual(['a']);
    });

    it('narrows a list of all namespaces to one', async () => {
      const [one, two] = [await server().namespace(), await server().namespace()];
      await fill(server().client, one, ['a']);
      await fill(server().client, two, ['b']);
      expect(namesOf(await list({ labelSelector: mine, fieldSelector: `metadata.namespace=${two}` }))).toEqual(['b']);
    });

    it('finds the pods of a node, and those of none', async () => {
      const namespace = await podNamespace(server());
      const placed = pod(namespace, 'placed');
      const nodeName = uniqueName('node');
      await server().client.create(kinds.pods, { ...placed, spec: { containers: [], ...placed.spec, nodeName } });
      await server().client.create(kinds.pods, pod(namespace, 'waiting'));
      const podsOn = async (fieldSelector: string) => namesOf(await server().client.list(kinds.pods, { namespace, fieldSelector }));
      expect(await podsOn(`spec.nodeName=${nodeName}`)).toEqual(['placed']);
      expect(await podsOn('spec.nodeName=')).toEqual(['waiting']);
      expect(await podsOn('status.phase=Pending,metadata.name=waiting')).toEqual(['waiting']);
    });

    it('for a field that the kind does not index is a bad-request', async () => {
      expect(await failureKind(list({ namespace: 'default', fieldSelector: 'data.colour=blue' }))).toBe('bad-request');
    });
  });

  describe('a list', () => {
    it('of nothing has a resourceVersion and no items', async () => {
      const namespace = await server().namespace();
      const empty = await list({ namespace, labelSelector: mine });
      expect(empty.items).toEqual([]);
      expect(empty.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(empty.continue).toBeUndefined();
    });

    it('of a namespace that does not exist is empty', async () => {
      expect((await list({ namespace: 'no-such-namespace' })).items).toEqual([]);
    });

    it('has items that carry apiVersion and kind and equal what get answers', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['a']);
      const { items } = await list({ namespace, labelSelector: mine });
      expect(items[0]).toMatchObject({ apiVersion: apiVersionOf(kinds.configMaps), kind: 'ConfigMap' });
      expect(items[0]).toEqual(await server().client.get(kinds.configMaps, { namespace, name: 'a' }));
    });

    it('of all namespaces has the objects of each', async () => {
      const [one, two] = [await server().namespace(), await server().namespace()];
      const suite = uniqueName('across');
      for (const namespace of [one, two]) {
        await server().client.create(kinds.configMaps, { metadata: { namespace, name: 'same', labels: { suite } } });
      }
      const { items } = await list({ labelSelector: `suite=${suite}` });
      expect(new Set(items.map(({ metadata }) => metadata?.namespace))).toEqual(new Set([one, two]));
      expect(items).toHaveLength(2);
    });

    it('of one namespace has nothing of another', async () => {
      const [one, two] = [await server().namespace(), await server().namespace()];
      await fill(server().client, one, ['a']);
      await fill(server().client, two, ['b']);
      expect(namesOf(await list({ namespace: one, labelSelector: mine }))).toEqual(['a']);
    });

    it('is in the order of names', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['c', 'a', 'b']);
      const { items } = await list({ namespace, labelSelector: mine });
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c']);
    });
  });

  describe('pages of a list', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

    it('are no longer than the limit and together hold every object once', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, names);
      const pages: string[][] = [];
      for await (const page of server().client.pages(kinds.configMaps, { namespace, labelSelector: mine, limit: 3 })) {
        pages.push(namesOf(page));
      }
      expect(pages).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
    });

    it('say how many objects follow', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, names);
      // A server counts the rest only where no selector filters it; its own config maps come on top.
      const all = (await list({ namespace })).items.length;
      expect((await list({ namespace, limit: 3 })).remainingItemCount).toBe(all - 3);
    });

    it('show the state of the first page, whatever is written between them', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      await fill(client, namespace, names);
      const first = await list({ namespace, labelSelector: mine, limit: 2 });
      await client.delete(kinds.configMaps, { namespace, name: 'e' });
      await fill(client, namespace, ['cc', 'zz']);
      const changed = await client.patch(kinds.configMaps, { namespace, name: 'f' }, { kind: 'merge', body: { data: { late: 'yes' } } });
      const rest = await list({ namespace, labelSelector: mine, continue: first.continue ?? '' });
      expect(namesOf(rest)).toEqual(['c', 'd', 'e', 'f', 'g']);
      expect(rest.resourceVersion).toBe(first.resourceVersion);
      const seen = rest.items.find(({ metadata }) => metadata?.name === 'f');
      expect(seen?.data).toBeUndefined();
      expect(seen?.metadata?.resourceVersion).not.toBe(versionOf(changed));
    });

    it('end without a continue token', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['a', 'b']);
      const first = await list({ namespace, labelSelector: mine, limit: 2 });
      const whole = await list({ namespace, labelSelector: mine, limit: 3 });
      expect(whole.continue).toBeUndefined();
      expect(namesOf(first)).toEqual(namesOf(whole));
    });

    it('may start from a named version', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, names);
      const { resourceVersion } = await list({ namespace, labelSelector: mine });
      const seen: string[] = [];
      const options = { namespace, labelSelector: mine, limit: 4, resourceVersion, resourceVersionMatch: 'Exact' } as const;
      for await (const page of server().client.pages(kinds.configMaps, options)) seen.push(...namesOf(page));
      expect(seen).toEqual(names);
    });

    it('cannot continue from a token that the server did not give', async () => {
      expect(await failureKind(list({ namespace: 'default', limit: 1, continue: 'garbage' }))).toBe('bad-request');
    });

    it('cannot name a version beside the token', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, names);
      const first = await list({ namespace, labelSelector: mine, limit: 2 });
      const second = list({ namespace, limit: 2, continue: first.continue ?? '', resourceVersion: first.resourceVersion });
      expect(await failureKind(second)).toBe('bad-request');
    });
  });

  describe('the version of a list', () => {
    it('Exact gives the state as it was then', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['a', 'b']);
      const { resourceVersion } = await list({ namespace, labelSelector: mine });
      await fill(server().client, namespace, ['c']);
      await server().client.delete(kinds.configMaps, { namespace, name: 'a' });
      const then = await list({ namespace, labelSelector: mine, resourceVersion, resourceVersionMatch: 'Exact' });
      expect(namesOf(then)).toEqual(['a', 'b']);
      expect(then.resourceVersion).toBe(resourceVersion);
    });

    it('NotOlderThan includes the write that made it', async () => {
      const namespace = await server().namespace();
      await fill(server().client, namespace, ['a']);
      const resourceVersion = versionOf(await server().client.get(kinds.configMaps, { namespace, name: 'a' }));
      const fresh = await list({ namespace, labelSelector: mine, resourceVersion, resourceVersionMatch: 'NotOlderThan' });
      expect(namesOf(fresh)).toEqual(['a']);
    });

    it('"0" answers some state with a version of its own', async () => {
      const some = await list({ namespace: 'default', resourceVersion: '0' });
      expect(some.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    });

    it('without one includes every write that was answered before', async () => {
      const namespace = await server().namespace();
      for (const name of ['a', 'b', 'c', 'd']) {
        await fill(server().client, namespace, [name]);
        expect(namesOf(await list({ namespace, labelSelector: mine }))).toContain(name);
      }
    });

    it('must be a number', async () => {
      const refused = await failureKind(list({ namespace: 'default', resourceVersion: 'yesterday' }));
      expect(['bad-request', 'invalid']).toContain(refused);
    });

    it('cannot be matched in a way without being named', async () => {
      const refused = await failureKind(list({ namespace: 'default', resourceVersionMatch: 'Exact' }));
      expect(['bad-request', 'invalid']).toContain(refused);
    });
  });
}
