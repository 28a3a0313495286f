import { codeOf, fieldViolationsOf, messageOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readManifest } from './read-manifest.ts';

const httpOptions = {
  ...{ maxBodySize: 1_048_576, nextCases: ['error', 'timeout'], nextTimeout: 0, nextTries: 3 },
  ...{ readTimeout: 60_000, sendTimeout: 60_000 },
};
const expose = (changes: object = {}) => ({
  ...{ endpointSequenceNumber: 0, externalPort: 0, global: true, hosts: null, httpOptions, ip: '', port: 80, proto: 'TCP', service: '' },
  ...changes,
});
const volume = (name: string, size: string, attributes?: Readonly<Record<string, string>>) => ({
  name,
  size: { val: size },
  ...(attributes && { attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })) }),
});
const resources = (changes: object = {}) => ({
  ...{ id: 1, cpu: { units: { val: '500' } }, gpu: { units: { val: '0' } }, memory: { size: { val: '536870912' } } },
  ...{ endpoints: [], storage: [volume('default', '1073741824')] },
  ...changes,
});
const service = (changes: object = {}) => ({
  ...{ name: 'web', image: 'nginx:1.25', command: null, args: null, env: null, count: 1, credentials: null },
  ...{ expose: [expose()], resources: resources() },
  ...changes,
});
const storage = [
  volume('default', '1073741824'),
  volume('data', '5368709120', { class: 'beta2', persistent: 'true' }),
  volume('shm', '67108864', { class: 'ram', persistent: 'false' }),
  volume('home', '5368709120', { persistent: 'true' }),
];
/** All that a service may have. */
const full = service({
  name: 'db',
  image: 'ghcr.io/x/db@sha256:00',
  command: ['sh', '-c'],
  args: ['sleep 1'],
  env: ['A=b', 'DB_PASSWORD=a=hush-value', 'UNSET', 'A=c'],
  count: 2,
  credentials: { email: 'e@x.y', host: 'ghcr.io', password: 'hush-password', username: 'hush-user' },
  expose: [
    expose({ port: 53, proto: 'UDP' }),
    expose({ port: 443, externalPort: 443, ip: 'front', endpointSequenceNumber: 1 }),
    expose({ port: 8080, externalPort: 80, hosts: ['*.Example.com'], httpOptions: { ...httpOptions, proxyBufferSize: 8192 } }),
    expose({ port: 53, global: false, service: 'web' }),
  ],
  params: {
    permissions: { read: ['logs', 'deployment', 'logs'] },
    storage: [
      { mount: '/data', name: 'data', readOnly: true },
      { mount: '/dev/shm', name: 'shm' },
      { mount: '', name: 'home', readOnly: false },
    ],
  },
  resources: resources({
    id: 2,
    gpu: { units: { val: '1' }, attributes: [{ key: 'vendor/nvidia/model/a100/ram/80Gi', value: 'true' }] },
    storage,
  }),
});
const hostnames = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example`);
const group = (...services: unknown[]) => ({ name: 'dc', services });
const read = (...groups: unknown[]) => readManifest(JSON.stringify(groups));

/** What is wrong, as `path description`. */
function faultsOf(json: string): readonly string[] {
  try {
    readManifest(json);
  } catch (thrown) {
    expect(codeOf(thrown)).toBe('invalid_argument');
    return fieldViolationsOf(thrown).map(({ field, description }) => `${field} ${description}`);
  }
  return [];
}
const faults = (...groups: unknown[]) => faultsOf(JSON.stringify(groups));

describe('a manifest', () => {
  it('is read as the SDL tools write it', () => {
    const [read1] = read(group(service({ name: 'zoo' }), full));
    expect(read1?.services.map(({ name }) => name)).toEqual(['db', 'zoo']);
    const options = {
      maxBodySize: 1_048_576,
      readTimeout: 60_000,
      sendTimeout: 60_000,
      nextTries: 3,
      nextTimeout: 0,
      nextCases: ['error', 'timeout'],
    };
    const plain = { externalPort: 0, protocol: 'TCP', service: '', global: true, hosts: [], ip: '', endpointNumber: 0, http: options };
    expect(read1).toEqual({
      name: 'dc',
      services: [
        {
          name: 'db',
          image: 'ghcr.io/x/db@sha256:00',
          command: ['sh', '-c'],
          args: ['sleep 1'],
          env: [
            { name: 'A', value: 'b' },
            { name: 'DB_PASSWORD', value: 'a=hush-value' },
            { name: 'UNSET', value: '' },
            { name: 'A', value: 'c' },
          ],
          resources: {
            ...{ id: 2, cpuMillis: 500, memoryBytes: 536_870_912, gpus: 1, gpuAttributes: ['vendor/nvidia/model/a100/ram/80Gi'] },
            volumes: [
              { name: 'default', bytes: 1_073_741_824, kind: 'ephemeral', class: '' },
              { name: 'data', bytes: 5_368_709_120, kind: 'persistent', class: 'beta2' },
              { name: 'shm', bytes: 67_108_864, kind: 'ram', class: '' },
              { name: 'home', bytes: 5_368_709_120, kind: 'persistent', class: 'default' },
            ],
          },
          count: 2,
          exposes: [
            { ...plain, port: 53, protocol: 'UDP' },
            { ...plain, port: 443, externalPort: 443, ip: 'front', endpointNumber: 1 },
            { ...plain, port: 8080, externalPort: 80, hosts: ['*.Example.com'], http: { ...options, proxyBufferSize: 8192 } },
            { ...plain, port: 53, global: false, service: 'web' },
          ],
          mounts: [
            { volume: 'data', path: '/data', readOnly: true },
            { volume: 'shm', path: '/dev/shm', readOnly: false },
            { volume: 'home', path: '', readOnly: false },
          ],
          permissions: ['logs', 'deployment'],
          credentials: { host: 'ghcr.io', email: 'e@x.y', username: 'hush-user', password: 'hush-password' },
        },
        {
          ...{ name: 'zoo', image: 'nginx:1.25', command: [], args: [], env: [], count: 1, mounts: [], permissions: [] },
          resources: {
            ...{ id: 1, cpuMillis: 500, memoryBytes: 536_870_912, gpus: 0, gpuAttributes: [] },
            volumes: [{ name: 'default', bytes: 1_073_741_824, kind: 'ephemeral', class: '' }],
          },
          exposes: [{ ...plain, port: 80 }],
        },
      ],
    });
  });

  it('may have plain amounts, another name for sizes and no http options', () => {
    const plain = service({
      resources: { id: 1, cpu: { units: 500 }, memory: { quantity: '536870912' }, storage: [{ name: 'default', size: 1_073_741_824 }] },
      expose: [expose({ httpOptions: null })],
    });
    expect(read(group(plain))).toEqual(read(group(service())));
  });

  it('may be one group by itself, which need not be exposed', () => {
    expect(readManifest(JSON.stringify(group(full)))).toEqual(read(group(full)));
    expect(readManifest(JSON.stringify(group(service({ expose: [] }))))).toHaveLength(1);
    expect(faultsOf(JSON.stringify(group(service({ image: '' }))))).toEqual(['/services/0/image is empty: name an image']);
    for (const image of ['a b', 'nginx\u202e1.gnp', 'ngi\u200bnx', 'ngınx'])
      expect(faultsOf(JSON.stringify(group(service({ image }))))).toEqual([expect.stringContaining('/services/0/image must be letters')]);
  });

  it('may repeat hostnames where they are without effect', () => {
    const hosts = ['a.example'];
    const exposes = [expose({ hosts }), expose({ hosts, global: false, service: 'db' }), expose({ hosts, ip: 'front' }), expose({ hosts })];
    expect(faults(group(service({ expose: exposes })))).toEqual([]);
  });

  it('may have a hundred hostnames in each group, for whomever they are repeated', () => {
    const hosts = hostnames(100);
    const repeated = [expose({ hosts }), expose({ hosts: hosts.map((host) => host.toUpperCase()), global: false, service: 'db' })];
    const others = hosts.map((host) => `other-${host}`);
    expect(faults(group(service({ expose: repeated })), { ...group(service({ expose: [expose({ hosts: others })] })), name: 'b' })).toEqual(
      [],
    );
  });

  it('may have 128 KiB of texts in each group, in bytes, and 2000 variables', () => {
    const credentials = { host: 'h', email: '', username: 'u', password: 'p' };
    const texts = (bytes: number) =>
      group(service({ image: 'i', env: [`LONG=${'ä'.repeat(60_000)}`], command: ['c'], args: ['a'.repeat(bytes - 120_009)], credentials }));
    expect(faults(texts(131_072))).toEqual([]);
    expect(faults(texts(131_072), { ...texts(131_072), name: 'b' })).toEqual([]);
    const what = 'bytes in image, command, args, env and credentials';
    const way = 'put large texts into images or volumes, or use several placements';
    expect(faults(texts(131_073))).toEqual([
      `/0/services have 131073 ${what} together; those of one placement may have at most 131072: ${way}`,
    ]);
    const variables = (count: number) => group(service({ env: Array.from({ length: count }, (_, at) => `V${at}`) }));
    expect(faults(variables(2_000))).toEqual([]);
    expect(faults(variables(2_001))).toEqual([
      '/0/services have 2001 environment variables together; those of one placement may have at most 2000: drop some, or use several placements',
    ]);
  });

  it('may have 128 exposes in each group, over all of its services', () => {
    const exposed = (count: number) =>
      group(
        service(),
        service({
          name: 'db',
          expose: Array.from({ length: count - 1 }, (_, at) => expose({ port: 1_000 + at, global: false, service: 'web' })),
        }),
      );
    expect(faults(exposed(128), { ...exposed(128), name: 'b' })).toEqual([]);
    expect(faults(exposed(1_651))).toEqual([
      '/0/services have 1651 exposes (one for each "to" of a port) together; those of one placement may have at most 128: drop some, or use several placements',
    ]);
    expect(faults(exposed(129))).toHaveLength(1);
  });

  it('may have 64 services in each group', () => {
    const services = (count: number) => group(...Array.from({ length: count }, (_, at) => service({ name: `s${at}` })));
    expect(faults(services(64), { ...services(64), name: 'b' })).toEqual([]);
    expect(faults(services(65))).toEqual(['/0/services are 65; one placement may have at most 64: drop some, or use several placements']);
  });

  it('may have 16 volumes and as many mounts in each service', () => {
    const names = Array.from({ length: 16 }, (_, at) => `v${at}`);
    const mounts = names.map((name) => ({ name, mount: `/${name}` }));
    expect(
      faults(group(service({ params: { storage: mounts }, resources: resources({ storage: names.map((name) => volume(name, '1')) }) }))),
    ).toEqual([]);
  });

  it('may have a hundred groups of different names', () => {
    expect(read(...Array.from({ length: 100 }, (_, at) => ({ ...group(service()), name: `g${at}` })))).toHaveLength(100);
  });
});

describe('a manifest is refused', () => {
  it.each<readonly [string, string, unknown]>([
    ['without groups', '/ must be a list of at least one group', []],
    ['as text', '/ must be a list of at least one group', 'x'],
    ['without anything', '/ must be a list of at least one group', null],
    ['with a group that is none', '/0 must be an object', [7]],
    ['without services', '/0/services is empty', [{ name: 'dc', services: null }]],
    ['with a group without a name', '/0/name must have 1 to 253', [{ services: [service()] }]],
    ['with a service that is none', '/0/services/0 must be an object', [group([])]],
    ['with two groups of one name', '/1/name is the name of another group', [group(service()), group(service())]],
    ['with two services of one name', '/0/services/1/name is the name of another service', [group(service(), service())]],
    [
      'with more hostnames than a group may have, over all of its services',
      '/0/services have 101 hostnames together; those of one placement may have at most 100: drop some, or use several placements',
      [
        group(
          service({ expose: [expose({ hosts: hostnames(60) })] }),
          service({ name: 'db', expose: [expose({ hosts: hostnames(101).slice(60) })] }),
        ),
      ],
    ],
    [
      'with services whose volumes would be the same',
      '/0/services/1/name would give it the volumes of another service',
      [
        group(
          service({ name: 'a', resources: resources({ storage: [volume('a-v-a', '1', { persistent: 'true' })] }) }),
          service({ name: 'a-a', resources: resources({ storage: [volume('v', '1', { persistent: 'true' })] }) }),
        ),
      ],
    ],
    ['with nothing exposed', '/ exposes nothing to the world', [group(service({ expose: null }))]],
    [
      'with one hostname in two services',
      '/0/services/1/expose/0/hosts/0 is a hostname that the manifest has twice',
      [group(service({ expose: [expose({ hosts: ['A.example'] })] }), service({ name: 'b', expose: [expose({ hosts: ['a.Example'] })] }))],
    ],
    [
      'with one hostname in two groups',
      '/1/services/0/expose/0/hosts/0 is a hostname',
      [
        group(service({ expose: [expose({ hosts: ['a.b'] })] })),
        { ...group(service({ expose: [expose({ hosts: ['a.b'] })] })), name: 'g2' },
      ],
    ],
  ])('%s', (_, fault, manifest) => {
    expect(faultsOf(JSON.stringify(manifest))).toEqual([expect.stringContaining(fault)]);
    expect(faultsOf(JSON.stringify(manifest))[0]?.startsWith(fault)).toBe(true);
  });

  const odd: readonly (readonly [string, string, object])[] = [
    ['a name with an upper-case letter', '/name must have 1 to 63', { name: 'Web' }],
    ['a name that begins with a digit', '/name must have', { name: '1web' }],
    ['a name that ends with a hyphen', '/name must have', { name: 'web-' }],
    ['no name', '/name must have', { name: null }],
    ['a name that is too long', '/name must have 1 to 63', { name: 'w'.repeat(64) }],
    ['no image', '/image is empty', { image: '' }],
    ['an image with a space', '/image must be letters', { image: 'nginx latest' }],
    ['a command that is no list', '/command must be a list', { command: 'sh' }],
    ['an argument that is no text', '/args/1 must be text', { args: ['a', 1] }],
    ['an argument with NUL', '/args/0 has a character', { args: ['a\0'] }],
    ['an argument that is not Unicode', '/args/0 has a character', { args: ['\uD800'] }],
    ['no replicas', '/count must be a whole number from 1', { count: 0 }],
    ['half a replica', '/count must be a whole number', { count: 1.5 }],
    ['no resources', '/resources/id', { resources: null }],
    ['resources of the id 0', '/resources/id must be a whole number from 1', { resources: resources({ id: 0 }) }],
    ['no CPU', '/resources/cpu/units must be a whole number', { resources: resources({ cpu: null }) }],
    ['a negative amount', '/resources/memory/size must be a whole number', { resources: resources({ memory: { size: { val: '-1' } } }) }],
    ['an amount beyond all', '/resources/memory/size must be', { resources: resources({ memory: { size: { val: '9007199254740993' } } }) }],
    ['a fraction of an amount', '/resources/cpu/units must be', { resources: resources({ cpu: { units: { val: '0.5' } } }) }],
    [
      'GPUs that nobody knows',
      '/resources/gpu/attributes/0/key must name cards',
      { resources: resources({ gpu: { units: { val: '1' }, attributes: [{ key: 'vendor/nvidia', value: 'true' }] } }) },
    ],
    [
      'a volume that is named twice',
      '/resources/storage/1/name is the name',
      { resources: resources({ storage: [volume('a', '1'), volume('a', '1')] }) },
    ],
    ['a volume with a bad name', '/resources/storage/0/name must have', { resources: resources({ storage: [volume('A_b', '1')] }) }],
    [
      'memory that persists',
      '/resources/storage/0/attributes are of the class ram',
      { resources: resources({ storage: [volume('a', '1', { class: 'ram', persistent: 'true' })] }) },
    ],
    [
      'a class that cannot be one',
      '/resources/storage/0/attributes have a class',
      { resources: resources({ storage: [volume('a', '1', { class: 'a b', persistent: 'true' })] }) },
    ],
    [
      'more than 16 volumes',
      '/resources/storage are 17; one service may have at most 16 volumes: drop some, or put more into one',
      { resources: resources({ storage: Array.from({ length: 17 }, (_, at) => volume(`v${at}`, '1')) }) },
    ],
    [
      'more than 16 mounts',
      '/params/storage are 17; one service may have at most 16 mounts: drop some, or put more into one volume',
      { params: { storage: Array.from({ length: 17 }, (_, at) => ({ name: 'default', mount: `/m${at}` })) } },
    ],
    ['a variable without a name', '/env/0 must be NAME=value', { env: ['=hush'] }],
    ['a variable with a bad name', '/env/1 must be NAME=value', { env: ['A=b', '1B=hush'] }],
    ['a variable with a space in its name', '/env/0 must be NAME=value', { env: ['A hush'] }],
    ['port 0', '/expose/0/port must be a whole number from 1 to 65535', { expose: [expose({ port: 0 })] }],
    ['port 65536', '/expose/0/port must be', { expose: [expose({ port: 65_536 })] }],
    ['no port', '/expose/0/port must be', { expose: [expose({ port: null })] }],
    ['a negative external port', '/expose/0/externalPort must be', { expose: [expose({ externalPort: -1 })] }],
    ['another protocol', '/expose/0/proto must be TCP or UDP', { expose: [expose({ proto: 'SCTP' })] }],
    ['an endpoint with a bad name', '/expose/0/ip must be empty or the name', { expose: [expose({ ip: 'Front!' })] }],
    ['an endpoint that is not global', '/expose/0/global must be true', { expose: [expose({ ip: 'front', global: false }), expose()] }],
    ['a service that cannot be one', '/expose/0/service must be empty', { expose: [expose({ service: 'A b' })] }],
    ['a hostname that cannot be one', '/expose/0/hosts/1 must be a hostname', { expose: [expose({ hosts: ['a.b', 'http://a.b/'] })] }],
    ['a hostname twice', '/expose/0/hosts/1 is a hostname', { expose: [expose({ hosts: ['a.b', 'A.B'] })] }],
    [
      'a case of nginx that is none',
      '/expose/0/httpOptions/nextCases must hold only',
      { expose: [expose({ httpOptions: { ...httpOptions, nextCases: ['error; hush'] } })] },
    ],
    [
      'off and others',
      '/expose/0/httpOptions/nextCases may hold',
      { expose: [expose({ httpOptions: { ...httpOptions, nextCases: ['off', '500'] } })] },
    ],
    [
      'a body that is too large',
      '/expose/0/httpOptions/maxBodySize must be',
      { expose: [expose({ httpOptions: { ...httpOptions, maxBodySize: 104_857_601 } })] },
    ],
    ['global as text', '/expose/0/global must be true or false', { expose: [expose({ global: 'yes' }), expose()] }],
    ['a mount of no volume', '/params/storage/0/name must be the name', { params: { storage: [{ name: 'data', mount: '/data' }] } }],
    ['a relative mount', '/params/storage/0/mount must be', { params: { storage: [{ name: 'default', mount: 'data' }] } }],
    ['a mount with a colour', '/params/storage/0/mount must be', { params: { storage: [{ name: 'default', mount: '/a\u001B[31mhush' }] } }],
    ['a mount of two lines', '/params/storage/0/mount must be', { params: { storage: [{ name: 'default', mount: '/a\nhush' }] } }],
    ['a mount at the root', '/params/storage/0/mount must be', { params: { storage: [{ name: 'default', mount: '//' }] } }],
    [
      'two mounts at one place',
      '/params/storage/1/mount is where',
      {
        params: {
          storage: [
            { name: 'default', mount: '/a/' },
            { name: 'default', mount: '//a' },
          ],
        },
      },
    ],
    [
      'a permission that is none',
      '/params/permissions/read/0 must be one of logs, events, deployment',
      { params: { permissions: { read: ['exec'] } } },
    ],
    ['a trusted execution environment', '/params/tee is refused', { params: { tee: 'cpu' } }],
    ['credentials without a password', '/credentials/password is empty', { credentials: { host: 'ghcr.io', username: 'hush' } }],
    ['credentials that are text', '/credentials must be an object', { credentials: 'hush' }],
  ];
  it.each(odd)('with %s', (_, fault, changes) => {
    const found = faults(group(service(changes)));
    expect(found.map((each) => each.slice('/0/services/0'.length))).toContainEqual(
      expect.stringMatching(new RegExp(`^${fault.replaceAll('/', '\\/')}`)),
    );
    expect(found.join()).not.toContain('hush');
  });

  it('with all of its faults at once, and no more than can be read', () => {
    expect(faults(group(service({ image: '', count: 0, expose: [expose({ port: 0 })] })))).toHaveLength(3);
    expect(faults(group(...Array.from({ length: 1_000 }, () => ({}))))).toHaveLength(50);
  });

  it('beyond a MiB, in bytes', () => {
    const sized = (letter: string, length: number) => {
      const parts = letter.repeat(length).match(/.{1,50000}/g) ?? [];
      return JSON.stringify(parts.map((part, at) => ({ ...group(service({ args: [part] })), name: `g${at}` })));
    };
    expect(faultsOf(sized('x', 1_030_000))).toEqual([]);
    expect(faultsOf(sized('x', 1_048_576))).toEqual([expect.stringContaining('has more than 1048576 bytes')]);
    expect(faultsOf(sized('ü', 600_000))).toEqual([expect.stringContaining('has more than 1048576 bytes')]);
  });

  it('when it is not JSON, without a word of it', () => {
    for (const text of ['', 'hush', '{"password": hush}', '['.repeat(500_000), '[{"name":"hush"']) {
      expect(faultsOf(text)).toEqual(['/ is not JSON: give a manifest as the SDL tools make it']);
    }
    expect(faultsOf('['.repeat(200_000) + ']'.repeat(200_000))).not.toEqual([]);
  });

  it('without an accident or a secret, whatever is put anywhere into it', () => {
    const whole = [group(service(), full)];
    const places: (readonly (string | number)[])[] = [];
    const visit = (value: unknown, path: readonly (string | number)[]): void => {
      places.push(path);
      if (typeof value === 'object' && value !== null) for (const [key, each] of Object.entries(value)) visit(each, [...path, key]);
    };
    visit(whole, []);
    const put = (value: unknown, [step, ...rest]: readonly (string | number)[], into: unknown): unknown => {
      if (step === undefined) return into;
      const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
      Reflect.set(copy, step, put(Reflect.get(copy, step), rest, into));
      return copy;
    };
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue(), (place, value) => {
        try {
          readManifest(JSON.stringify(put(whole, place, value)));
        } catch (thrown) {
          expect(codeOf(thrown)).toBe('invalid_argument');
          expect(messageOf(thrown)).not.toContain('hush');
          expect(fieldViolationsOf(thrown).length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
