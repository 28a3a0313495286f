import { kinds } from '@quartermaster/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseContent, named, namesOf, service, settings, unitOf } from '../../test/lease-content.ts';
import { a100 } from '../../test/sample-facts.ts';
import { leaseObjects } from './lease-objects.ts';

const own = [
  { name: 'AKASH_GROUP_SEQUENCE', value: '1' },
  { name: 'AKASH_DEPLOYMENT_SEQUENCE', value: '7' },
  { name: 'AKASH_ORDER_SEQUENCE', value: '2' },
  { name: 'AKASH_OWNER', value: 'alice' },
  { name: 'AKASH_PROVIDER', value: 'acme' },
  { name: 'AKASH_CLUSTER_PUBLIC_HOSTNAME', value: 'provider.example.com' },
];
/** They decide which cards and which fabrics of the node a container gets. */
const cardVariables = [
  'NVIDIA_VISIBLE_DEVICES',
  'NVIDIA_GDS',
  'NVIDIA_MOFED',
  'NVIDIA_NVSWITCH',
  'NVIDIA_GDRCOPY',
  'NVIDIA_IMEX_CHANNELS',
  'NVIDIA_MIG_CONFIG_DEVICES',
  'NVIDIA_MIG_MONITOR_DEVICES',
  'AMD_VISIBLE_DEVICES',
];
/** An image may ask for all cards of the node by itself. */
const noCards = [
  { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
  { name: 'NVIDIA_GDS', value: 'disabled' },
  { name: 'NVIDIA_MOFED', value: 'disabled' },
  { name: 'NVIDIA_NVSWITCH', value: 'disabled' },
  { name: 'NVIDIA_GDRCOPY', value: 'disabled' },
  { name: 'NVIDIA_IMEX_CHANNELS' },
  { name: 'NVIDIA_MIG_CONFIG_DEVICES' },
  { name: 'NVIDIA_MIG_MONITOR_DEVICES' },
  { name: 'AMD_VISIBLE_DEVICES', value: 'none' },
];
const last = [...own, ...noCards];
const objectsOf = (env: readonly { name: string; value: string }[], changed: Parameters<typeof leaseContent>[1] = {}) =>
  leaseObjects(leaseContent([service({ env })], changed));
const templateOf = (objects: ReturnType<typeof leaseObjects>) => named(objects, kinds.deployments, 'web').spec?.template;
const envOf = (objects: ReturnType<typeof leaseObjects>) => templateOf(objects)?.spec?.containers[0]?.env;
const hashOf = (objects: ReturnType<typeof leaseObjects>) => templateOf(objects)?.metadata?.annotations?.['quartermaster.dev/config'];

describe('the environment of a service', () => {
  it('is in a ConfigMap and, where a name is sensitive, in a Secret, and pods refer to each value in the order of the manifest', () => {
    const objects = objectsOf([
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { name: 'LEVEL', value: 'debug' },
      { name: 'api_key', value: 'k' },
      { name: 'EMPTY', value: '' },
    ]);
    expect(named(objects, kinds.configMaps, 'web-env').data).toEqual({ LEVEL: 'debug', EMPTY: '' });
    expect(named(objects, kinds.secrets, 'web-env')).toMatchObject({
      type: 'Opaque',
      data: { DB_PASSWORD: 'aHVudGVyMg==', api_key: 'aw==' },
    });
    expect(envOf(objects)).toEqual([
      { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'web-env', key: 'DB_PASSWORD' } } },
      { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'web-env', key: 'LEVEL' } } },
      { name: 'api_key', valueFrom: { secretKeyRef: { name: 'web-env', key: 'api_key' } } },
      { name: 'EMPTY', valueFrom: { configMapKeyRef: { name: 'web-env', key: 'EMPTY' } } },
      ...last,
    ]);
  });

  it('says which lease it is even where there is nothing else, and then has no objects', () => {
    const objects = objectsOf([]);
    expect(envOf(objects)).toEqual(last);
    expect([...namesOf(objects, kinds.configMaps), ...namesOf(objects, kinds.secrets)]).toEqual([]);
  });

  it('takes what is ours from nobody else', () => {
    const objects = objectsOf([
      { name: 'AKASH_OWNER', value: 'mallory' },
      { name: 'AKASH_PROVIDER', value: 'mallory' },
    ]);
    expect(envOf(objects)).toEqual(last);
    expect(JSON.stringify(objects)).not.toContain('mallory');
  });

  it('lets no tenant and no image choose the cards and the fabrics that it gets', () => {
    // AMD's runtime takes any of that prefix, and the last in the list: ours is.
    const objects = objectsOf([...cardVariables, 'DOCKER_RESOURCE_GPU'].map((name) => ({ name, value: 'all' })));
    expect(envOf(objects)).toEqual(last);
    expect(last.at(-1)).toEqual({ name: 'AMD_VISIBLE_DEVICES', value: 'none' });
    expect(namesOf(objects, kinds.configMaps)).toEqual([]);
    // Names of variables are told apart by case: this one means nothing to a driver.
    const other = objectsOf([{ name: 'nvidia_visible_devices', value: 'all' }]);
    expect(named(other, kinds.configMaps, 'web-env').data).toEqual({ nvidia_visible_devices: 'all' });
  });

  it('leaves it to the driver which of its own cards a service sees, and shows it none of another vendor', () => {
    const env = cardVariables.map((name) => ({ name, value: 'all' }));
    const endWith = (resource: string, vendor: string) => {
      const web = service({ env, resources: { gpus: 2 } });
      const cards = { resource, group: undefined, count: 2, groups: [{ ...a100, vendor }] };
      const objects = leaseObjects(leaseContent([web], { plan: { units: [unitOf(web, { cards })], ports: 0, ips: 0 } }));
      return envOf(objects)?.slice(own.length);
    };
    const ofNvidia = noCards.filter(({ name }) => name !== 'NVIDIA_VISIBLE_DEVICES');
    expect(endWith('nvidia.com/gpu', 'nvidia')).toEqual(ofNvidia);
    expect(endWith('gpu.nvidia.com', 'nvidia')).toEqual(ofNvidia);
    // The device plugin of AMD hands out devices, and sets no variable.
    expect(endWith('amd.com/gpu', 'amd')).toEqual(noCards);
  });

  it('looks at each of very many variables a few times, not at each for each', () => {
    let looks = 0;
    const variable = (name: string) => ({
      value: '',
      get name() {
        looks += 1;
        return name;
      },
    });
    const env = Array.from({ length: 2_000 }, (_, at) => variable(`V${at}`));
    expect(envOf(objectsOf(env))).toHaveLength(env.length + last.length);
    expect(looks).toBeLessThan(100 * env.length);
  });

  it('names our hostname without a value where the provider has none, as it is stored', () => {
    const objects = objectsOf([], { settings: { ...settings, publicHostname: '' } });
    expect(envOf(objects)).toContainEqual({ name: 'AKASH_CLUSTER_PUBLIC_HOSTNAME' });
  });

  it('takes the last of several values of one name', () => {
    const objects = objectsOf([
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'A', value: '3' },
    ]);
    expect(named(objects, kinds.configMaps, 'web-env').data).toEqual({ A: '3', B: '2' });
    expect(envOf(objects)?.map(({ name }) => name)).toEqual(['B', 'A', ...last.map(({ name }) => name)]);
  });

  it('restarts pods with every change of a value, and with nothing else of it', () => {
    const before = hashOf(
      objectsOf([
        { name: 'A', value: '1' },
        { name: 'T_TOKEN', value: 'x' },
      ]),
    );
    expect(before).toMatch(/^[0-9a-f]{16}$/);
    expect(
      hashOf(
        objectsOf([
          { name: 'A', value: '1' },
          { name: 'T_TOKEN', value: 'x' },
        ]),
      ),
    ).toBe(before);
    expect(
      hashOf(
        objectsOf([
          { name: 'A', value: '2' },
          { name: 'T_TOKEN', value: 'x' },
        ]),
      ),
    ).not.toBe(before);
    expect(
      hashOf(
        objectsOf([
          { name: 'A', value: '1' },
          { name: 'T_TOKEN', value: 'y' },
        ]),
      ),
    ).not.toBe(before);
    expect(
      hashOf(
        objectsOf(
          [
            { name: 'A', value: '1' },
            { name: 'T_TOKEN', value: 'x' },
          ],
          { salt: 'other' },
        ),
      ),
    ).not.toBe(before);
  });

  it('has valid keys for whatever variables are called, each its own', () => {
    const names = fc.uniqueArray(
      fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('.', '..', '..a', '__proto__', 'constructor', 'ä', 'a b')),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(names, (all) => {
        const objects = objectsOf(
          all.map((name) => ({ name, value: `value of ${name}` })),
          { settings: { ...settings, sensitiveEnv: [] } },
        );
        const data = all.length > 0 ? named(objects, kinds.configMaps, 'web-env').data : {};
        for (const key of Object.keys(data ?? {})) expect(key).toMatch(/^(?!\.\.)[-._a-zA-Z0-9]+$/);
        const values = new Map(Object.entries(data ?? {}));
        for (const { name, valueFrom } of (envOf(objects) ?? []).slice(0, all.length))
          expect(values.get(valueFrom?.configMapKeyRef?.key ?? '')).toBe(`value of ${name}`);
      }),
    );
  });

  it('shows a sensitive value in no object but Secrets', () => {
    const name = fc.constantFrom('PASSWORD', 'MY_PASSWORD_1', 'a_secret', 'TOKENS', 'AWS_KEY');
    const variables = fc.uniqueArray(fc.record({ name, value: fc.uuid() }), { selector: (each) => each.name, minLength: 1 });
    const credentials = fc.record({
      host: fc.constant('ghcr.io'),
      email: fc.constant(''),
      username: fc.constant('u'),
      password: fc.uuid(),
    });
    fc.assert(
      fc.property(variables, credentials, fc.uuid(), (env, registry, salt) => {
        const objects = leaseObjects(leaseContent([service({ env, credentials: registry })], { salt }));
        const others = JSON.stringify(objects.filter(({ type }) => type.kind !== 'Secret'));
        for (const value of [...env.map((each) => each.value), registry.password, salt]) {
          expect(others).not.toContain(value);
          expect(others).not.toContain(Buffer.from(value).toString('base64'));
        }
        // Secrets of the namespace are the tenant's own; metadata of them is not.
        const metadata = JSON.stringify(objects.map(({ object }) => object.metadata));
        for (const { value } of env) expect(metadata).not.toContain(value);
      }),
    );
  });
});
