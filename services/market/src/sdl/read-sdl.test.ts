import { readFileSync } from 'node:fs';
import { toJson } from '@bufbuild/protobuf';
import { GroupSchema } from '@quartermaster/api/market';
import { describe, expect, it } from 'vitest';
import { goodSdl, ofLibrary } from '../../test/good-sdl.ts';
import { readSdl } from './read-sdl.ts';
import type { SdlContent } from './sdl-reading.ts';

function contentOf(text: string): SdlContent {
  const reading = readSdl(text);
  if ('faults' in reading) throw new Error(JSON.stringify(reading.faults));
  return reading;
}

const good = (name: string): string => goodSdl.get(name) ?? '';
const example = (name: string): string => readFileSync(new URL(`../../../../examples/${name}.yaml`, import.meta.url), 'utf8');
/** As JSON of the contract, in which fields at their default are left out. */
const specsOf = (text: string) => contentOf(text).groups.map((group) => toJson(GroupSchema, group).spec ?? {});
const unitsOf = (text: string) => specsOf(text).flatMap(({ resources }) => resources?.units ?? []);

describe('readSdl', () => {
  it('has texts of every kind', () => {
    expect(goodSdl.size).toBeGreaterThanOrEqual(20);
  });

  it.each([...goodSdl])('makes the manifest and the hash of %s that the library makes', async (_, text) => {
    const { manifest, manifestHash } = contentOf(text);
    expect({ manifest, manifestHash }).toEqual(await ofLibrary(text));
  });

  it('reads a simple one', () => {
    expect(contentOf(good('simple')).groups.map((group) => toJson(GroupSchema, group))).toEqual([
      {
        gseq: 1,
        name: 'anywhere',
        spec: {
          resources: {
            units: [
              {
                id: 1,
                count: 1,
                cpuMillis: '500',
                memoryBytes: String(512 * 2 ** 20),
                volumes: [{ name: 'default', bytes: String(2 ** 30), kind: 'VOLUME_KIND_EPHEMERAL' }],
              },
            ],
          },
          requirements: {},
          maxPrice: { denom: 'uakt', amount: '1000' },
          unitPrices: { 1: { denom: 'uakt', amount: '1000' } },
          httpEndpoints: { 1: 1 },
          services: [{ name: 'blog', unit: 1, count: 1, image: 'registry.example/blog:3.1' }],
        },
      },
    ]);
  });

  it('reads GPUs with models, memory and interface, any of which will do', () => {
    expect(unitsOf(good('gpu-basic'))[0]?.gpus).toEqual({ count: 1, wants: [{ vendor: 'nvidia', model: 't4' }] });
    expect(unitsOf(good('gpu-any'))[0]?.gpus).toEqual({ count: 2, wants: [{ vendor: 'nvidia', model: '*' }] });
    expect(unitsOf(good('gpu-models'))[0]?.gpus).toEqual({
      count: 4,
      wants: [
        { vendor: 'nvidia', model: 'a100', memoryBytes: String(80 * 2 ** 30), interface: 'sxm' },
        { vendor: 'nvidia', model: 'h100', interface: 'pcie' },
        { vendor: 'nvidia', model: 'rtx4090', memoryBytes: String(24 * 2 ** 30) },
      ],
    });
  });

  it('tells volumes that persist, those that do not, and those in memory', () => {
    expect(unitsOf(good('persistent-storage'))[0]?.volumes).toEqual([
      { name: 'default', bytes: String(2 * 2 ** 30), kind: 'VOLUME_KIND_EPHEMERAL' },
      { name: 'data', bytes: String(100 * 2 ** 30), kind: 'VOLUME_KIND_PERSISTENT', storageClass: 'beta3' },
      { name: 'backup', bytes: String(2 ** 40), kind: 'VOLUME_KIND_PERSISTENT', storageClass: 'beta1' },
    ]);
    expect(unitsOf(good('storage-classes'))[0]?.volumes?.map(({ bytes, storageClass }) => [bytes, storageClass])).toEqual([
      ['10000000000', 'beta1'],
      [String(10 * 2 ** 30), 'beta2'],
      [String(1.5 * 2 ** 30), 'default'],
      [String(512 * 2 ** 20), 'default'],
      ['6000000', undefined],
    ]);
    const [ram] = unitsOf(good('ram'));
    expect(ram?.memoryBytes).toBe(String(2 ** 30));
    expect(ram?.volumes?.[1]).toEqual({ name: 'shm', bytes: String(256 * 2 ** 20), kind: 'VOLUME_KIND_RAM' });
  });

  it('counts endpoints by kind, and tells leased addresses apart by name', () => {
    const [game] = specsOf(good('ip-endpoint'));
    expect(game?.httpEndpoints).toEqual({ 1: 1 });
    expect(game?.resources?.units?.[0]).toMatchObject({ randomPorts: 1, leasedIps: ['arena'] });
    const [shared] = specsOf(good('shared-ip'));
    expect(shared?.resources?.units?.map(({ id, randomPorts, leasedIps }) => ({ id, randomPorts, leasedIps }))).toEqual([
      { id: 1, randomPorts: 2, leasedIps: ['front'] },
      { id: 2, randomPorts: 1, leasedIps: ['back', 'front'] },
    ]);
    expect(shared?.httpEndpoints).toEqual({ 2: 1 });
    expect(unitsOf(good('port-ranges'))[0]?.randomPorts).toBe(7);
  });

  it('takes what a provider must have from the placement', () => {
    expect(specsOf(good('placement'))[0]?.requirements).toEqual({
      attributes: { region: 'eu-west', tier: '2', 'capabilities/gpu': 'true' },
      signedByAllOf: ['akash1first', 'akash1second'],
      signedByAnyOf: ['akash1third'],
    });
  });

  it('adds prices exactly, as they are written', () => {
    const [spec] = specsOf(good('pricing'));
    expect(Object.values(spec?.unitPrices ?? {}).map(({ amount }) => amount)).toEqual(['0.1', '0.2', '9007199.123456789012345678']);
    expect(spec?.maxPrice?.amount).toBe('18014398.746913578024691356');
  });

  it('makes a group of each placement, by name', () => {
    const { groups } = contentOf(good('several-groups'));
    expect(groups.map(({ gseq, name }) => [gseq, name])).toEqual([
      [1, 'east'],
      [2, 'west'],
    ]);
    expect(groups.map(({ spec }) => spec?.maxPrice)).toMatchObject([
      { denom: 'uact', amount: '460' },
      { denom: 'uakt', amount: '100' },
    ]);
    expect(groups[0]?.spec?.services).toMatchObject([
      { name: 'web', unit: 1, count: 1 },
      { name: 'worker', unit: 2, count: 5 },
    ]);
  });

  it('has one unit for services that share a profile', () => {
    const [spec] = specsOf(good('shared-profile'));
    expect(spec?.resources?.units).toMatchObject([{ id: 1, count: 6, randomPorts: 1 }]);
    expect(spec?.httpEndpoints).toEqual({ 1: 2 });
    expect(spec?.services?.map(({ name, unit, count }) => [name, unit, count])).toEqual([
      ['alpha', 1, 2],
      ['beta', 1, 3],
      ['gamma', 1, 1],
    ]);
  });

  it('takes units in any notation up to the limits', () => {
    expect(unitsOf(good('units')).map(({ cpuMillis, memoryBytes, volumes }) => [cpuMillis, memoryBytes, volumes?.[0]?.bytes])).toEqual([
      ['100', '128000000', '107374183'],
      ['1500', '2000000000', '20000000'],
      ['384000', String(2 * 2 ** 40), String(32 * 2 ** 40)],
    ]);
  });

  it('takes a dollar sign for a dollar sign, which the template function of the library does not', () => {
    const text = good('texts').replace('EMPTY=', 'HOME_OF=${HOME}');
    expect(contentOf(text).manifest).toContain('HOME_OF=${HOME}');
  });

  it('never tells the environment or passwords in groups', () => {
    const told = JSON.stringify([...specsOf(good('credentials')), ...specsOf(good('texts')), ...specsOf(example('web'))]);
    expect(told).not.toMatch(/not-a-real-one|robot|GREETING|hello/);
  });
});

describe('the examples', () => {
  it.each(['web', 'gpu', 'storage', 'too-large'])('say on top what %s shows, and are read as the library reads them', async (name) => {
    expect(example(name)).toMatch(/^# [A-Z].*[^.]{20}.*\.\n/);
    const { manifest, manifestHash } = contentOf(example(name));
    expect({ manifest, manifestHash }).toEqual(await ofLibrary(example(name)));
  });

  it('ask for the cards and the storage class that the small scenario has, and one for more cards than a node of it', () => {
    const scenario = readFileSync(new URL('../../../../simulator/scenarios/small.yaml', import.meta.url), 'utf8');
    expect(scenario).toContain('{ model: t4, count: 2 }');
    expect(scenario).toContain('name: beta3');
    expect(unitsOf(example('gpu'))).toMatchObject([
      { count: 1, cpuMillis: '2000', gpus: { count: 1, wants: [{ vendor: 'nvidia', model: 't4' }] } },
    ]);
    expect(unitsOf(example('storage')).flatMap(({ volumes }) => volumes?.map(({ storageClass }) => storageClass))).toContain('beta3');
    expect(unitsOf(example('too-large'))).toMatchObject([{ gpus: { count: 8 } }]);
  });
});
