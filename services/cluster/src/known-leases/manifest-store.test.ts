import { codeOf, FakeClock, messageOf, systemRandom } from '@quartermaster/kernel';
import type { KubeReader, KubeWriter } from '@quartermaster/kube';
import type { Secret } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { groupOf, leaseServiceOf } from '../../test/seen-lease.ts';
import { shownObjects } from '../../test/shown-objects.ts';
import { manifestObject } from '../manifest/manifest-object.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import { ManifestStore } from './manifest-store.ts';

const leaseOf = (owner: string) => ({ owner, dseq: 7n, gseq: 1, oseq: 1, provider: 'farm' });
const sensitiveEnv = ['*PASSWORD*'];

/** A Manifest of the owner's lease that names this Secret, and what is secret of it. */
function manifest(owner: string, secretName: string, password: string) {
  const lease = leaseOf(owner);
  return manifestObject({
    ...{ lease, namespaceName: leaseNamespace(lease), manifestNamespace: 'lease', hash: `hash of ${owner}`, secretName, confirmed: [] },
    group: groupOf(leaseServiceOf('web', { env: [{ name: 'PASSWORD', value: password }] })),
    ...{ sensitiveEnv, scheduler: new Map() },
  });
}

function secretOf(owner: string, name: string, password: string): Secret {
  const { manifest: made, secrets } = manifest(owner, name, password);
  const { labels, annotations } = made.metadata ?? {};
  const texts = Object.entries({ ...secrets, salt: `salt of ${owner}` }).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { metadata: { namespace: 'lease', name, labels, annotations }, data: Object.fromEntries(texts) };
}

const [amy, bob] = ['amy', 'bob'].map((owner) => leaseNamespace(leaseOf(owner))) as [string, string];
const secrets = [secretOf('amy', 'of-amy', 'hush-amy'), secretOf('bob', 'of-bob', 'hush-bob')];
const stolen = manifest('bob', 'of-amy', '').manifest;
const manifests = [manifest('amy', 'of-amy', '').manifest, stolen];

const nothing = async () => ({ items: [] }) as never;

function store(found?: KubeReader['find']): ManifestStore {
  const reader = { find: found ?? (async () => undefined), list: nothing } as unknown as KubeReader;
  const options = { namespace: 'lease', sensitiveEnv, random: systemRandom, clock: new FakeClock() };
  return new ManifestStore(shownObjects({ manifests, secrets }), reader, options);
}

describe('manifests', () => {
  it('have the values of the Secret that they name', () => {
    expect(store().of(amy)).toMatchObject({
      group: { services: [{ env: [{ name: 'PASSWORD', value: 'hush-amy' }] }] },
      salt: 'salt of amy',
    });
    expect(store().hasLostSecret(amy)).toBe(false);
  });

  it('have a salt where their Secret is seen, and is theirs', () => {
    expect([store().saltOf(amy), store().saltOf(bob), store().saltOf('lease-nobody-1-1-1')]).toEqual([
      { salt: 'salt of amy' },
      undefined,
      undefined,
    ]);
  });

  it('are ours by what we alone write, and not by the lease that they name', () => {
    const { secret: _secret, ...spec } = manifest('amy', 'of-amy', '').manifest.spec ?? {};
    const foreign = { metadata: { namespace: 'lease', name: amy }, spec };
    const options = { namespace: 'lease', sensitiveEnv, random: systemRandom, clock: new FakeClock() };
    const oursIn = (objects: Parameters<typeof shownObjects>[0]) =>
      new ManifestStore(shownObjects(objects), { find: async () => undefined, list: nothing }, options).all().map(({ isOurs }) => isOurs);
    expect(oursIn({ manifests: [manifest('amy', 'of-amy', '').manifest], secrets: [] })).toEqual([true]);
    expect(oursIn({ manifests: [foreign], secrets: [] })).toEqual([false]);
    expect(oursIn({ manifests: [], secrets: [secretOf('amy', 'of-amy', '')] })).toEqual([true]);
    const { data: _data, ...empty } = secretOf('amy', 'of-amy', '');
    expect(oursIn({ manifests: [], secrets: [empty] })).toEqual([false]);
  });

  it('are not the newest where the server has another, which is not seen yet', async () => {
    const at = (resourceVersion: string) => store(async () => ({ metadata: { resourceVersion } }) as never);
    const seen = store().of(amy) ?? expect.unreachable();
    expect(await at(seen.resourceVersion).isNewest(amy, seen, new AbortController().signal)).toBe(true);
    expect(await at('99').isNewest(amy, seen, new AbortController().signal)).toBe(false);
    expect(await store().isNewest(amy, seen, new AbortController().signal)).toBe(false);
  });

  it('have nothing of the Secret of another lease: it is as if it were not there', () => {
    expect(store().hasLostSecret(bob)).toBe(true);
    try {
      store().of(bob);
      expect.unreachable();
    } catch (thrown) {
      expect([codeOf(thrown), messageOf(thrown)]).toEqual([
        'unavailable',
        `Secret lease/of-amy of Manifest ${bob} is not there: its values are not known`,
      ]);
    }
  });

  it('take no salt of another lease over', async () => {
    const made: Secret[] = [];
    const writer = {
      create: async (_type: unknown, object: Secret) => {
        made.push(object);
        return object;
      },
      replace: async (_type: unknown, object: unknown) => object,
    } as unknown as KubeWriter;
    const found = (async (type: { readonly kind: string }, { name }: { readonly name: string }) =>
      type.kind === 'Manifest' ? stolen : secrets.find(({ metadata }) => metadata?.name === name)) as unknown as KubeReader['find'];
    const group = groupOf(leaseServiceOf('web'));
    const accepted = { lease: leaseOf('bob'), namespace: bob, group, hash: 'next', confirmed: [], scheduler: new Map() };
    await store(found).put(writer, accepted, AbortSignal.timeout(10_000));
    const salt = Buffer.from(made.find(({ type }) => type === 'Opaque')?.data?.['salt'] ?? '', 'base64').toString();
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['of-amy', ['old', 'older']],
    [undefined, ['of-amy', 'old', 'older']],
  ] as const)('have no Secrets beside the one that they name: %s', async (named, expected) => {
    const kept = ['of-amy', 'old', 'older'].map((name) => secretOf('amy', name, 'hush'));
    const reader = { find: async () => (named === undefined ? undefined : manifest('amy', named, '').manifest) } as unknown as KubeReader;
    const options = { namespace: 'lease', sensitiveEnv, random: systemRandom, clock: new FakeClock() };
    const shown = { manifests: [], secrets: [...kept, secretOf('bob', 'of-bob', 'hush')] };
    const deleted: string[] = [];
    const writer = { delete: async (_type: unknown, ref: { name: string }) => void deleted.push(ref.name) } as unknown as KubeWriter;
    await new ManifestStore(shownObjects(shown), reader, options).clean(writer, amy, AbortSignal.timeout(10_000));
    expect(deleted).toEqual(expected);
  });

  it('go with Secrets that the server has, though the watch has not shown them yet', async () => {
    const unseen = { ...secretOf('amy', 'unseen', 'hush') };
    const reader = { find: async () => undefined, list: async () => ({ items: [unseen] }) } as unknown as KubeReader;
    const options = { namespace: 'lease', sensitiveEnv, random: systemRandom, clock: new FakeClock() };
    const deleted: string[] = [];
    const writer = {
      delete: async ({ kind }: { kind: string }, ref: { name: string }) => void deleted.push(`${kind} ${ref.name}`),
    } as unknown as KubeWriter;
    await new ManifestStore(shownObjects({ manifests: [], secrets: [] }), reader, options).remove(writer, amy, AbortSignal.timeout(10_000));
    expect(deleted).toEqual([`Manifest ${amy}`, 'Secret unseen']);
  });
});
