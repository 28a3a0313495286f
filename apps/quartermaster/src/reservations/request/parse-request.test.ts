import { readFileSync } from 'node:fs';
import { create, type JsonValue } from '@bufbuild/protobuf';
import { type ResourceRequest, ResourceRequestSchema, VolumeKind } from '@quartermaster/api/cluster';
import { fieldViolationsOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseRequest } from './parse-request.ts';
import { printRequest } from './print-request.ts';

const gib = 2n ** 30n;
const yaml = (text: string): ResourceRequest => parseRequest(parse(text) as JsonValue);

function violations(document: JsonValue): readonly string[] {
  try {
    parseRequest(document);
    return [];
  } catch (thrown) {
    return fieldViolationsOf(thrown).map(({ field, description }) => `${field}: ${description}`);
  }
}

describe('a request', () => {
  it('is read from units with the quantities of Kubernetes', () => {
    const text = `
units:
  - count: 3
    cpu: 500m
    memory: 16Gi
    gpu: { count: 2, model: h100, memory: 80Gi, interface: sxm }
    storage:
      - { name: root, size: 100Gi }
      - { name: data, size: 1Ti, class: beta3, persistent: true }
      - { name: shm, size: 8Gi, ram: true }
    ports: 2
    ips: [web, api]
  - id: 7
    cpu: 1.5
    memory: 1G
`;
    expect(yaml(text)).toEqual(
      create(ResourceRequestSchema, {
        units: [
          {
            id: 1,
            count: 3,
            cpuMillis: 500n,
            memoryBytes: 16n * gib,
            gpus: { count: 2, wants: [{ vendor: 'nvidia', model: 'h100', memoryBytes: 80n * gib, interface: 'sxm' }] },
            volumes: [
              { name: 'root', bytes: 100n * gib, kind: VolumeKind.EPHEMERAL },
              { name: 'data', bytes: 1024n * gib, kind: VolumeKind.PERSISTENT, storageClass: 'beta3' },
              { name: 'shm', bytes: 8n * gib, kind: VolumeKind.RAM },
            ],
            randomPorts: 2,
            leasedIps: ['web', 'api'],
          },
          { id: 7, count: 1, cpuMillis: 1500n, memoryBytes: 1_000_000_000n },
        ],
      }),
    );
  });

  it('may be one unit by itself, and says the usual of what is left out', () => {
    const unit = yaml('cpu: 4\nmemory: 1Gi\ngpu: {}\nstorage: [{ size: 1Gi, persistent: true }]\nports:\n').units[0];
    expect(unit).toMatchObject({ id: 1, count: 1, cpuMillis: 4000n, randomPorts: 0, leasedIps: [] });
    expect(unit?.gpus).toMatchObject({ count: 1, wants: [{ vendor: 'nvidia', model: '*' }] });
    expect(unit?.gpus?.wants[0]?.memoryBytes).toBeUndefined();
    expect(unit?.volumes).toMatchObject([{ name: 'default', kind: VolumeKind.PERSISTENT, storageClass: 'default' }]);
  });

  it('may want any of several cards, and models that YAML takes for numbers', () => {
    const wants = yaml('{cpu: 1, memory: 1Gi, gpu: {count: 2, wants: [{model: 4090}, {vendor: amd, model: mi300x}]}}').units[0]?.gpus;
    expect(wants).toMatchObject({
      count: 2,
      wants: [
        { vendor: 'nvidia', model: '4090' },
        { vendor: 'amd', model: 'mi300x' },
      ],
    });
  });

  it('names every field that breaks a rule, and the way out', () => {
    expect(
      violations({
        units: [
          {
            count: 1.5,
            cpu: '4 cores',
            memory: '-1Gi',
            gpus: 1,
            gpu: { count: 2, model: 'h100', wants: [{ modell: 'x' }] },
            storage: [
              { size: '1GB', class: 'beta3' },
              { class: 'ram', persistent: 'yes', ram: true },
              { size: true, persistent: true, ram: true },
            ],
            ports: -1,
            ips: 'web',
          },
          5,
          {},
        ],
      }),
    ).toEqual([
      'units[0].gpus: is no field of this form: did you mean gpu?',
      'units[0].count: must be a whole number from 0 to 4294967295',
      expect.stringMatching(/^units\[0\]\.cpu: "4 cores" must be a decimal number with an optional suffix: .*; such as 500m or 4$/),
      'units[0].memory: is -1Gi; it must not be negative',
      'units[0].gpu.model: is beside wants, which has it for each kind of card: put it there',
      'units[0].gpu.wants[0].modell: is no field of this form: did you mean model?',
      'units[0].storage[0].class: is of persistent volumes alone: add persistent: true, or leave it out',
      expect.stringMatching(/^units\[0\]\.storage\[0\]\.size: "1GB" must be a decimal number/),
      'units[0].storage[1].persistent: must be true or false',
      'units[0].storage[1].class: is of persistent volumes alone: say ram: true instead',
      'units[0].storage[1].size: is required: an amount such as 100Gi',
      'units[0].storage[2].ram: is gone with the pod, and persistent says that it stays: leave one of them out',
      'units[0].storage[2].size: must be an amount such as 100Gi',
      'units[0].ports: must be a whole number from 0 to 4294967295',
      'units[0].ips: must be a list of names of endpoints',
      'units[1]: must be an object with id, count, cpu, memory, gpu, storage, ports, ips',
      'units[1].cpu: is required: an amount such as 500m or 4',
      'units[1].memory: is required: an amount such as 16Gi',
      'units[2].cpu: is required: an amount such as 500m or 4',
      'units[2].memory: is required: an amount such as 16Gi',
    ]);
  });

  it.each<[JsonValue, string]>([
    [[], ': must be an object with units, or one unit: id, count, cpu, memory, gpu, storage, ports, ips'],
    ['h100', ': must be an object with units, or one unit: id, count, cpu, memory, gpu, storage, ports, ips'],
    [{ units: {} }, 'units: must be a list of units'],
    [{ units: [], cpu: 1 }, 'cpu: is no field of this form: there are units'],
  ])('is refused as %j', (document, violation) => {
    expect(violations(document)).toEqual([violation]);
  });

  it('is what the guide shows', () => {
    const guide = readFileSync(new URL('../../../../../docs/guides/reservations-cli.md', import.meta.url), 'utf8');
    const examples = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => yaml(text));
    expect(examples.map(({ units: asked }) => asked.length)).toEqual([2, 1, 1]);
  });

  it('that is printed and read again is the same, as YAML and as JSON', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const document = printRequest(request);
        expect(parseRequest(parse(stringify(document)) as JsonValue)).toEqual(request);
        expect(parseRequest(JSON.parse(JSON.stringify(document)) as JsonValue)).toEqual(request);
      }),
    );
  });
});

const amounts = fc.maxSafeNat().map(BigInt);
const names = fc.string({ minLength: 1 }).filter((name) => name.trim() === name);
const wants = fc.record({ vendor: names, model: names, memoryBytes: amounts, interface: names }, { requiredKeys: ['vendor', 'model'] });
const volumes = fc.oneof(
  fc.record({ name: names, bytes: amounts, kind: fc.constantFrom(VolumeKind.EPHEMERAL, VolumeKind.RAM) }),
  fc.record({ name: names, bytes: amounts, kind: fc.constant(VolumeKind.PERSISTENT), storageClass: names }),
);
const counts = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const units = fc.record(
  {
    id: counts,
    count: counts,
    cpuMillis: amounts,
    memoryBytes: amounts,
    gpus: fc.record({ count: counts, wants: fc.array(wants, { maxLength: 3 }) }),
    volumes: fc.array(volumes, { maxLength: 3 }),
    randomPorts: counts,
    leasedIps: fc.array(names, { maxLength: 3 }),
  },
  { requiredKeys: ['id', 'count', 'cpuMillis', 'memoryBytes'] },
);
const requests: fc.Arbitrary<ResourceRequest> = fc
  .array(units, { maxLength: 4 })
  .map((each) => create(ResourceRequestSchema, { units: each }));
