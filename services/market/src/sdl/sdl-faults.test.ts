import { describe, expect, it } from 'vitest';
import { goodSdl } from '../../test/good-sdl.ts';
import { readSdl } from './read-sdl.ts';

function faultsOf(text: string) {
  const reading = readSdl(text);
  return 'faults' in reading ? reading.faults : [];
}

/** A good text with one thing changed. */
function changed(name: string, from: string, to: string): string {
  const text = goodSdl.get(name) ?? '';
  expect(text).toContain(from);
  return text.replace(from, to);
}

interface Case {
  readonly what: string;
  readonly of?: string;
  readonly change: readonly [from: string, to: string];
  readonly path: string;
  readonly line: number;
  readonly code: string;
  readonly says: string;
}

const resources = '/profiles/compute/small/resources';

const schemaCases: readonly Case[] = [
  { what: 'no version', change: ['version: "2.0"\n', ''], path: '/version', line: 0, code: 'Missing', says: 'version is missing: add it' },
  {
    what: 'a version that is a number',
    change: ['"2.0"', '2.0'],
    path: '/version',
    line: 1,
    code: 'NotAllowed',
    says: '"2.0" or "2.1", in quotes',
  },
  { what: 'another version', change: ['"2.0"', '"3.0"'], path: '/version', line: 1, code: 'NotAllowed', says: '"2.0" or "2.1"' },
  {
    what: 'a misspelt field',
    change: ['image:', 'imag:'],
    path: '/services/blog/imag',
    line: 4,
    code: 'UnknownField',
    says: 'did you mean image?',
  },
  {
    what: 'an unknown section',
    change: ['services:', 'x-notes: {}\nservices:'],
    path: '/x-notes',
    line: 2,
    code: 'UnknownField',
    says: 'there are deployment, endpoints, profiles, services, version',
  },
  {
    what: 'an empty image',
    change: ['registry.example/blog:3.1', '""'],
    path: '/services/blog/image',
    line: 4,
    code: 'TooShort',
    says: 'image must not be empty',
  },
  {
    what: 'a port as text',
    change: ['port: 8080', 'port: "8080"'],
    path: '/services/blog/expose/0/port',
    line: 6,
    code: 'WrongType',
    says: 'port must be a whole number',
  },
  {
    what: 'a port out of range',
    change: ['port: 8080', 'port: 70000'],
    path: '/services/blog/expose/0/port',
    line: 6,
    code: 'OutOfRange',
    says: 'at most 65535',
  },
  {
    what: 'a list for a map',
    change: ['        - global: true', '        - [global]'],
    path: '/services/blog/expose/0/to/0',
    line: 9,
    code: 'WrongType',
    says: 'to[0] must be a map of fields',
  },
  {
    what: 'a number in the environment',
    change: ['    expose:', '    env: [1]\n    expose:'],
    path: '/services/blog/env/0',
    line: 5,
    code: 'WrongType',
    says: 'env[0] must be text, in quotes',
  },
  {
    what: 'no CPU',
    change: ['units: 0.5', 'units: 0'],
    path: `${resources}/cpu/units`,
    line: 15,
    code: 'NotAllowed',
    says: 'more than 0: cores such as 0.5',
  },
  {
    what: 'a size without suffix',
    change: ['512Mi', '512'],
    path: `${resources}/memory/size`,
    line: 17,
    code: 'WrongType',
    says: 'a number with a suffix, such as 512Mi',
  },
  {
    what: 'storage without suffix',
    change: ['size: 1Gi', 'size: 1'],
    path: `${resources}/storage/size`,
    line: 19,
    code: 'WrongType',
    says: 'a number with a suffix, such as 512Mi',
  },
  {
    what: 'a volume whose name is a number',
    of: 'ram',
    change: ['name: shm', 'name: 1'],
    path: '/profiles/compute/web/resources/storage/1/name',
    line: 23,
    code: 'WrongType',
    says: 'name must be text, in quotes',
  },
  {
    what: 'a denom that is none',
    change: ['uakt', 'dollars'],
    path: '/profiles/placement/anywhere/pricing/small/denom',
    line: 24,
    code: 'BadFormat',
    says: 'uakt, uact or the ibc/',
  },
  {
    what: 'a negative price',
    change: ['1000', '-1'],
    path: '/profiles/placement/anywhere/pricing/small/amount',
    line: 25,
    code: 'BadFormat',
    says: 'a plain decimal number',
  },
  {
    what: 'a price with an exponent',
    change: ['1000', '1e3'],
    path: '/profiles/placement/anywhere/pricing/small/amount',
    line: 25,
    code: 'BadFormat',
    says: 'such as 1000 or 0.25',
  },
  {
    what: 'no replicas',
    change: ['count: 1', 'count: 0'],
    path: '/deployment/blog/anywhere/count',
    line: 30,
    code: 'OutOfRange',
    says: 'count must be at least 1',
  },
  {
    what: 'memory that persists',
    of: 'ram',
    change: ['class: ram', 'class: ram\n              persistent: true'],
    path: '/profiles/compute/web/resources/storage/1/attributes',
    line: 25,
    code: 'NotAllowed',
    says: 'memory does not persist',
  },
  {
    what: 'off among others',
    of: 'http-options',
    change: ['["off"]', '["off", "500"]'],
    path: '/services/quiet/expose/0/http_options/next_cases',
    line: 25,
    code: 'NotAllowed',
    says: 'only alone',
  },
  {
    what: 'another vendor of GPUs',
    of: 'gpu-basic',
    change: ['nvidia:', 'amd:'],
    path: '/profiles/compute/web/resources/gpu/attributes/vendor/amd',
    line: 23,
    code: 'UnknownField',
    says: 'amd is not a field',
  },
  {
    what: 'an address without the world',
    of: 'ip-endpoint',
    change: ['global: true\n            ip', 'global: false\n            ip'],
    path: '/services/game/expose/0/to/0/global',
    line: 12,
    code: 'NotAllowed',
    says: 'must be true where an ip is named',
  },
  {
    what: 'an endpoint of no kind',
    of: 'ip-endpoint',
    change: ['kind: ip', 'kind: 5'],
    path: '/endpoints/arena',
    line: 3,
    code: 'BadEndpoint',
    says: 'must be "kind: ip"',
  },
];

const relationCases: readonly Case[] = [
  {
    what: 'a placement that is not declared',
    change: ['    anywhere:\n      profile', '    nowhere:\n      profile'],
    path: '/profiles/placement/nowhere',
    line: 20,
    code: 'Missing',
    says: 'declare it under profiles.placement',
  },
  {
    what: 'a profile that is not declared',
    change: ['profile: small', 'profile: big'],
    path: '/profiles/compute/big',
    line: 11,
    code: 'Missing',
    says: 'declare it under profiles.compute',
  },
  {
    what: 'a profile of the name of a property of objects',
    change: ['profile: small', 'profile: constructor'],
    path: '/profiles/compute/constructor',
    line: 11,
    code: 'Missing',
    says: 'declared nowhere',
  },
  {
    what: 'a service that is not deployed',
    change: ['deployment:\n  blog:', 'deployment:\n  log:'],
    path: '/deployment/blog',
    line: 26,
    code: 'Missing',
    says: 'not deployed',
  },
  {
    what: 'a deployment of no service',
    change: ['deployment:', 'deployment:\n  ghost: { anywhere: { profile: small, count: 1 } }'],
    path: '/deployment/ghost',
    line: 27,
    code: 'UnknownService',
    says: 'declare it under services',
  },
  {
    what: 'a persistent volume that is not mounted',
    of: 'persistent-storage',
    change: ['        backup:\n          mount: /backup\n          readOnly: true\n', ''],
    path: '/services/db/params/storage/backup',
    line: 6,
    code: 'Missing',
    says: 'must be mounted',
  },
  {
    what: 'a mount of no volume',
    of: 'ram',
    change: ['name: shm', 'name: other'],
    path: '/profiles/compute/web/resources/storage',
    line: 21,
    code: 'Missing',
    says: 'add a volume of that name',
  },
  {
    what: 'an endpoint that is not declared',
    of: 'ip-endpoint',
    change: ['ip: arena', 'ip: square'],
    path: '/endpoints/square',
    line: 2,
    code: 'Missing',
    says: 'add it under endpoints',
  },
  {
    what: 'GPUs of no vendor',
    of: 'gpu-basic',
    change: ['          attributes:\n            vendor:\n              nvidia:\n                - model: t4\n', ''],
    path: '/profiles/compute/web/resources/gpu',
    line: 19,
    code: 'Missing',
    says: 'say which cards will do',
  },
];

const ruleCases: readonly Case[] = [
  {
    what: 'a name that is no name of a pod',
    change: ['  blog:\n    image', '  Blog_1:\n    image'],
    path: '/services/Blog_1',
    line: 3,
    code: 'BadName',
    says: '1 to 63 of a-z',
  },
  {
    what: 'nothing exposed',
    change: ['global: true', 'service: blog'],
    path: '/services',
    line: 2,
    code: 'NothingExposed',
    says: 'global: true',
  },
  {
    what: 'a port that is exposed to nobody',
    change: ['- global: true', '- {}'],
    path: '/services/blog/expose/0/to/0',
    line: 9,
    code: 'Missing',
    says: 'exposes the port to nobody',
  },
  {
    what: 'a port that is exposed to no service',
    of: 'private-service',
    change: ['service: web', 'service: wob'],
    path: '/services/inner/expose/0/to/0/service',
    line: 15,
    code: 'UnknownService',
    says: 'name one of services',
  },
  {
    what: 'a hostname that is none',
    of: 'http-options',
    change: ['www.example.org', 'WWW.example.org'],
    path: '/services/web/expose/0/accept/1',
    line: 10,
    code: 'BadFormat',
    says: 'lower-case',
  },
  {
    what: 'a hostname twice',
    of: 'http-options',
    change: ['www.example.org', 'upload.example.org'],
    path: '/services/web/expose/0/accept/1',
    line: 10,
    code: 'Duplicate',
    says: 'accepted twice',
  },
  {
    what: 'an image that looks like another one',
    change: ['registry.example/blog:3.1', '"registry.example/blog\\u202E1.3:"'],
    path: '/services/blog/image',
    line: 4,
    code: 'BadFormat',
    says: 'ASCII',
  },
  {
    what: 'a variable without a name',
    of: 'texts',
    change: ['- EMPTY=', '- =secret'],
    path: '/services/web/env/1',
    line: 12,
    code: 'BadFormat',
    says: 'NAME=value',
  },
  {
    what: 'another suffix',
    change: ['512Mi', '512MB'],
    path: `${resources}/memory/size`,
    line: 17,
    code: 'BadFormat',
    says: 'one of the suffixes',
  },
  {
    what: 'another architecture',
    change: ['units: 0.5', 'units: 0.5\n          attributes: { arch: arm64 }'],
    path: `${resources}/cpu/attributes/arch`,
    line: 16,
    code: 'ArchitectureRefused',
    says: 'arch "arm64" is refused',
  },
  {
    what: 'millicores that are not whole',
    change: ['units: 0.5', 'units: 1.005'],
    path: `${resources}/cpu/units`,
    line: 15,
    code: 'NotWhole',
    says: 'such as 1005m',
  },
  {
    what: 'a GPU without model',
    of: 'gpu-basic',
    change: ['- model: t4', '- interface: sxm'],
    path: '/profiles/compute/web/resources/gpu/attributes/vendor/nvidia/0/model',
    line: 24,
    code: 'Missing',
    says: '"*" for any',
  },
  {
    what: 'half a GPU',
    of: 'gpu-basic',
    change: ['units: 1\n          attributes:\n            vendor', 'units: 0.5\n          attributes:\n            vendor'],
    path: '/profiles/compute/web/resources/gpu/units',
    line: 20,
    code: 'BadFormat',
    says: 'whole number of cards',
  },
  {
    what: 'two volumes of one name',
    of: 'storage-classes',
    change: ['name: two', 'name: one'],
    path: '/profiles/compute/web/resources/storage/1/name',
    line: 26,
    code: 'Duplicate',
    says: 'give another name',
  },
  {
    what: 'a class without persistence',
    of: 'storage-classes',
    change: ['persistent: true, class: beta2', 'class: beta2'],
    path: '/profiles/compute/web/resources/storage/1/attributes/class',
    line: 26,
    code: 'NotAllowed',
    says: 'add "persistent: true"',
  },
  {
    what: 'an attribute of a bad key',
    of: 'placement',
    change: ['region:', '"-region":'],
    path: '/profiles/placement/eu/attributes/-region',
    line: 22,
    code: 'BadName',
    says: 'begin with a letter',
  },
  {
    what: 'an attribute that is a map',
    of: 'placement',
    change: ['eu-west', '{ a: b }'],
    path: '/profiles/placement/eu/attributes/region',
    line: 22,
    code: 'WrongType',
    says: 'must be text',
  },
  {
    what: 'a price of 19 digits after the point',
    of: 'pricing',
    change: ['012345678', '0123456789'],
    path: '/profiles/placement/eu/pricing/three/amount',
    line: 58,
    code: 'BadFormat',
    says: 'at most 18 digits',
  },
  {
    what: 'prices in two denoms',
    of: 'shared-ip',
    change: ['denom: uakt', 'denom: uact'],
    path: '/profiles/placement/eu/pricing',
    line: 53,
    code: 'MixedDenoms',
    says: 'choose one',
  },
];

const limitCases: readonly Case[] = [
  {
    what: 'too little CPU',
    change: ['units: 0.5', 'units: 9m'],
    path: `${resources}/cpu/units`,
    line: 15,
    code: 'OutOfRange',
    says: 'from 0.01 cores to 384 cores',
  },
  {
    what: 'too much CPU',
    change: ['units: 0.5', 'units: 385'],
    path: `${resources}/cpu/units`,
    line: 15,
    code: 'OutOfRange',
    says: 'is 385 cores',
  },
  {
    what: 'too little memory',
    change: ['512Mi', '1023Ki'],
    path: `${resources}/memory/size`,
    line: 17,
    code: 'OutOfRange',
    says: 'from 1 MiB to 2 TiB',
  },
  {
    what: 'memory beyond counting',
    change: ['512Mi', '999999E'],
    path: `${resources}/memory/size`,
    line: 17,
    code: 'OutOfRange',
    says: 'from 1 MiB to 2 TiB',
  },
  {
    what: 'too little storage',
    change: ['size: 1Gi', 'size: 4Mi'],
    path: `${resources}/storage/size`,
    line: 19,
    code: 'OutOfRange',
    says: 'from 5 MiB to 32 TiB',
  },
  {
    what: 'too much storage',
    of: 'persistent-storage',
    change: ['1Ti', '33Ti'],
    path: '/profiles/compute/db/resources/storage/2/size',
    line: 33,
    code: 'OutOfRange',
    says: 'is 33 TiB',
  },
  {
    what: 'too many GPUs',
    of: 'gpu-basic',
    change: ['units: 1\n          attributes:\n            vendor', 'units: 25\n          attributes:\n            vendor'],
    path: '/profiles/compute/web/resources/gpu/units',
    line: 20,
    code: 'OutOfRange',
    says: 'from 0 to 24',
  },
  {
    what: 'too many replicas',
    change: ['count: 1', 'count: 51'],
    path: '/deployment/blog/anywhere/count',
    line: 30,
    code: 'OutOfRange',
    says: 'at most 50',
  },
  {
    what: 'too many replicas of one profile',
    of: 'shared-profile',
    change: ['count: 3', 'count: 48'],
    path: '/deployment/gamma/eu/count',
    line: 49,
    code: 'OutOfRange',
    says: 'has 51 replicas',
  },
  {
    what: 'too high a price',
    change: ['1000', '10000000.000000000000000001'],
    path: '/profiles/placement/anywhere/pricing/small/amount',
    line: 25,
    code: 'OutOfRange',
    says: 'at most 10000000',
  },
];

const refusedCases: readonly Case[] = [
  {
    what: 'include',
    change: ['services:', 'include: [other.yaml]\nservices:'],
    path: '/include',
    line: 2,
    code: 'IncludeRefused',
    says: 'put everything into one SDL',
  },
  {
    what: 'reclamation',
    change: ['services:', 'reclamation: { min_window: 1h }\nservices:'],
    path: '/reclamation',
    line: 2,
    code: 'ReclamationRefused',
    says: 'take back early',
  },
  {
    what: 'dependencies',
    change: ['    expose:', '    dependencies: [{ service: blog }]\n    expose:'],
    path: '/services/blog/dependencies',
    line: 5,
    code: 'DependenciesRefused',
    says: 'in no order',
  },
  {
    what: 'tee',
    change: ['    expose:', '    params: { tee: cpu }\n    expose:'],
    path: '/services/blog/params/tee',
    line: 5,
    code: 'TeeRefused',
    says: 'attests',
  },
  {
    what: 'tee with GPUs',
    of: 'gpu-basic',
    change: ['    expose:', '    params: { tee: cpu-gpu }\n    expose:'],
    path: '/services/web/params/tee',
    line: 5,
    code: 'TeeRefused',
    says: 'remove it',
  },
  {
    what: 'proxy_buffer_size',
    of: 'http-options',
    change: ['next_tries: 2', 'proxy_buffer_size: 4096'],
    path: '/services/web/expose/0/http_options/proxy_buffer_size',
    line: 15,
    code: 'ProxyBufferSizeRefused',
    says: 'no place for it',
  },
];

const yamlCases: readonly Case[] = [
  {
    what: 'a key twice',
    change: ['    expose:', '    image: b\n    expose:'],
    path: '/services/blog/image',
    line: 5,
    code: 'DuplicateKey',
    says: 'there twice',
  },
  { what: 'a tag', change: ['image: ', 'image: !!binary '], path: '/services/blog/image', line: 4, code: 'TagRefused', says: 'remove it' },
  {
    what: 'a merge',
    change: ['    image', '    <<: { env: [] }\n    image'],
    path: '/services/blog',
    line: 4,
    code: 'MergeRefused',
    says: 'repeat the fields',
  },
  { what: 'a number as a key', change: ['deployment:', '1: {}\ndeployment:'], path: '', line: 26, code: 'BadKey', says: 'in quotes' },
  {
    what: 'a name of a property of objects',
    change: ['deployment:', '"__proto__": {}\ndeployment:'],
    path: '',
    line: 26,
    code: 'ReservedName',
    says: 'choose another',
  },
  {
    what: 'a date for some',
    change: ['registry.example/blog:3.1', '2026-01-01'],
    path: '/services/blog/image',
    line: 4,
    code: 'AmbiguousScalar',
    says: 'put it into quotes',
  },
  {
    what: 'a zero character',
    change: ['registry.example/blog:3.1', '"a\\0"'],
    path: '/services/blog/image',
    line: 4,
    code: 'BadText',
    says: 'zero character',
  },
  {
    what: 'an anchor in itself',
    change: ['services:', 'x: &x [*x]\nservices:'],
    path: '',
    line: 0,
    code: 'TooDeep',
    says: 'its own alias',
  },
  { what: 'two documents', change: ['services:', '---\nservices:'], path: '', line: 2, code: 'SeveralDocuments', says: 'keep one' },
  { what: 'a directive', change: ['version:', '%YAML 1.1\n---\nversion:'], path: '', line: 0, code: 'DirectiveRefused', says: 'YAML 1.2' },
  { what: 'a control character', change: ['registry', 'reg\u0007istry'], path: '', line: 4, code: 'BadText', says: 'control character' },
  { what: 'no YAML', change: ['    image:', '   image:'], path: '', line: 4, code: 'YamlSyntax', says: 'this is not YAML' },
];

describe.each([
  ['against the schema', schemaCases],
  ['in relations', relationCases],
  ['against rules', ruleCases],
  ['beyond limits', limitCases],
  ['that is refused by name', refusedCases],
  ['in YAML', yamlCases],
])('what is wrong %s', (_, cases) => {
  it.each(cases)('names place, rule and way out of $what', ({ of = 'simple', change: [from, to], path, line, code, says }) => {
    const faults = faultsOf(changed(of, from, to));
    expect(faults.map((fault) => [fault.path, fault.line, fault.code])).toContainEqual([path, line, code]);
    expect(faults.find((fault) => fault.path === path && fault.code === code)?.message).toContain(says);
  });
});

describe('many faults', () => {
  it('are told together, by line', () => {
    const text = changed('simple', 'image: registry.example/blog:3.1', 'imag: 1\n    dependencies: []')
      .replace('512Mi', '5')
      .replace('count: 1', 'count: x');
    expect(faultsOf(text).map(({ line, column, code }) => [line, column, code])).toEqual([
      [3, 3, 'Missing'],
      [4, 5, 'UnknownField'],
      [5, 5, 'DependenciesRefused'],
      [18, 11, 'WrongType'],
      [31, 7, 'WrongType'],
    ]);
  });

  it('are at most 50, each of a few lines', () => {
    const many = Array.from({ length: 500 }, (_, at) => `  s${at}: { ${'x'.repeat(200)}: 1 }`).join('\n');
    const faults = faultsOf(`version: "2.0"\nservices:\n${many}\n`);
    expect(faults).toHaveLength(50);
    expect(Math.max(...faults.map(({ message }) => message.length))).toBeLessThanOrEqual(400);
  });

  it('do not quote the environment or passwords', () => {
    const text = changed('credentials', 'password: not-a-real-one', 'password: p4ss').replace(
      'credentials:',
      'env: ["=s3cret"]\n    credentials:',
    );
    const told = JSON.stringify(faultsOf(text));
    expect(told).toContain('at least 6 characters');
    expect(told).not.toMatch(/p4ss|s3cret/);
  });

  it.each(['2026-01-01 p4ssword', '*p4ssword', '!p4ssword x', '!p4ss!word x', '!<p4ssword x', '|p4ssword', '"a" p4ssword'])(
    'do not quote the password %s, which YAML takes for something else',
    (password) => {
      const faults = faultsOf(changed('credentials', 'not-a-real-one', password));
      expect(faults).not.toEqual([]);
      expect(JSON.stringify(faults)).not.toContain('p4ss');
    },
  );
});

describe('a group as a whole', () => {
  it('may ask for 50 times the most of a unit, and for no more', () => {
    const full = changed('units', 'profile: c\n      count: 1', 'profile: c\n      count: 50').replace(
      'profile: b\n      count: 1',
      'profile: b\n      count: 50',
    );
    expect(faultsOf(full).map(({ path, code }) => [path, code])).toEqual([['/profiles/placement/eu', 'OutOfRange']]);
    expect(faultsOf(full)[0]?.message).toContain('use several placements');
  });

  it('is one of at most 20, so that one deployment does not flood the market with orders', () => {
    const ofGroups = (count: number): string => {
      const names = Array.from({ length: count }, (_, at) => `p${at}`);
      return [
        'version: "2.0"',
        'services: { web: { image: a, expose: [{ port: 80, to: [{ global: true }] }] } }',
        'profiles: { compute: { c: { resources: { cpu: { units: 1 }, memory: { size: 1Gi }, storage: { size: 1Gi } } } },',
        `  placement: { ${names.map((name) => `${name}: { pricing: { c: { denom: uakt, amount: 1 } } }`).join(', ')} } }`,
        `deployment: { web: { ${names.map((name) => `${name}: { profile: c, count: 1 }`).join(', ')} } }`,
      ].join('\n');
    };
    expect(readSdl(ofGroups(20))).toMatchObject({ groups: { length: 20 } });
    expect(faultsOf(ofGroups(500))).toMatchObject([
      { path: '/profiles/placement', code: 'OutOfRange', message: expect.stringContaining('at most 20') },
    ]);
  });

  it('has at most 64 services', () => {
    const ofServices = (count: number): string => {
      const names = Array.from({ length: count }, (_, at) => `s${at}`);
      const profile = '{ resources: { cpu: { units: 1 }, memory: { size: 1Gi }, storage: { size: 1Gi } } }';
      const price = '{ denom: uakt, amount: 1 }';
      return [
        'version: "2.0"',
        `services: { ${names.map((name, at) => `${name}: { image: a, expose: [{ port: 80, to: [{ ${at === 0 ? 'global: true' : 'service: s0'} }] }] }`).join(', ')} }`,
        `profiles: { compute: { c: ${profile}, d: ${profile} }, placement: { eu: { pricing: { c: ${price}, d: ${price} } } } }`,
        `deployment: { ${names.map((name, at) => `${name}: { eu: { profile: ${at < 32 ? 'c' : 'd'}, count: 1 } }`).join(', ')} }`,
      ].join('\n');
    };
    expect(faultsOf(ofServices(64))).toEqual([]);
    const message = 'services are 65; one placement may have at most 64: drop some, or use several placements';
    expect(faultsOf(ofServices(65))).toMatchObject([{ path: '/profiles/placement/eu', code: 'OutOfRange', message }]);
  });

  it('accepts at most 100 hostnames, over all of its services', () => {
    const ofHosts = (web: number, quiet: number): string => {
      const hosts = Array.from({ length: web + quiet }, (_, at) => `h${at}.example.org`);
      return changed(
        'http-options',
        '          - upload.example.org\n          - www.example.org',
        `          [${hosts.slice(0, web).join()}]`,
      ).replace('- port: 80\n', `- port: 80\n        accept: [${hosts.slice(web).join()}]\n`);
    };
    expect(faultsOf(ofHosts(60, 40))).toEqual([]);
    const message =
      'services have 101 hostnames together; those of one placement may have at most 100: drop some, or use several placements';
    expect(faultsOf(ofHosts(60, 41))).toMatchObject([{ path: '/profiles/placement/eu', code: 'OutOfRange', message }]);
  });

  it('has at most 128 KiB of texts, over all of its services', () => {
    const ofTexts = (bytes: number): string =>
      changed(
        'http-options',
        '    image: registry.example/upload:1\n',
        `    image: a\n    env: [EMPTY, "LONG=${'ä'.repeat(50_000)}"]\n`,
      ).replace('    image: registry.example/quiet:1\n', `    image: a\n    command: [a]\n    args: ["${'a'.repeat(bytes - 100_012)}"]\n`);
    expect(faultsOf(ofTexts(131_072))).toEqual([]);
    const message = expect.stringContaining('131073 bytes in image, command, args, env and credentials together');
    expect(faultsOf(ofTexts(131_073))).toMatchObject([{ path: '/profiles/placement/eu', code: 'OutOfRange', message }]);
  });

  it('has at most 128 exposes, over all of its services and counting to whom each port is', () => {
    const ofExposes = (ports: number): string => {
      const more = Array.from(
        { length: ports },
        (_, at) => `      - { port: ${1_000 + at}, to: [{ service: web }, { service: quiet }] }\n`,
      );
      return changed('http-options', '      - port: 80\n', `${more.join('')}      - port: 80\n`);
    };
    expect(faultsOf(ofExposes(63))).toEqual([]);
    const message =
      'services have 130 exposes (one for each "to" of a port) together; those of one placement may have at most 128: drop some, or use several placements';
    expect(faultsOf(ofExposes(64))).toMatchObject([{ path: '/profiles/placement/eu', code: 'OutOfRange', message }]);
  });

  it('has at most 2000 environment variables', () => {
    const variables = Array.from({ length: 2_001 }, (_, at) => `V${at}`).join(', ');
    const message = expect.stringContaining('2001 environment variables together');
    expect(
      faultsOf(changed('http-options', '    image: registry.example/upload:1\n', `    image: a\n    env: [${variables}]\n`)),
    ).toMatchObject([{ path: '/profiles/placement/eu', code: 'OutOfRange', message }]);
  });

  it('may pay 50 times the most of a unit, and no more', () => {
    const dear = changed('units', 'amount: 1\n', 'amount: 9799999\n').replace('amount: 2\n', 'amount: 50\n');
    expect(faultsOf(dear)).toEqual([]);
    expect(faultsOf(dear.replace('amount: 50\n', 'amount: 50.1\n'))).toMatchObject([
      { path: '/profiles/placement/eu/pricing', code: 'OutOfRange', message: expect.stringContaining('500000000.1') },
    ]);
  });

  it('has at most 20 compute profiles, and a unit at most 16 volumes', () => {
    const names = Array.from({ length: 21 }, (_, at) => `p${at}`);
    const resource = '{ resources: { cpu: { units: 1 }, memory: { size: 1Gi }, storage: { size: 1Gi } } }';
    const text = [
      'version: "2.0"',
      'services:',
      ...names.map((name) => `  ${name}: { image: a, expose: [{ port: 80, to: [{ global: true }] }] }`),
      `profiles: { compute: { ${names.map((name) => `${name}: ${resource}`).join(', ')} },`,
      `  placement: { eu: { pricing: { ${names.map((name) => `${name}: { denom: uakt, amount: 1 }`).join(', ')} } } } }`,
      'deployment:',
      ...names.map((name) => `  ${name}: { eu: { profile: ${name}, count: 1 } }`),
    ].join('\n');
    expect(faultsOf(text)).toMatchObject([{ path: '/profiles/placement/eu', code: 'OutOfRange' }]);
    const volumes = Array.from({ length: 17 }, (_, at) => `{ name: v${at}, size: 1Gi }`).join(', ');
    expect(faultsOf(changed('simple', 'storage:\n          size: 1Gi', `storage: [${volumes}]`))).toMatchObject([
      { path: `${resources}/storage`, code: 'OutOfRange' },
    ]);
  });
});
