import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formField, readRequest } from './request-source.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-request-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** With the folder taken out of what it says. */
function read(text: string): ReturnType<typeof readRequest> {
  const path = join(folder, 'fit.yaml');
  writeFileSync(path, text);
  return readRequest({ filename: path });
}

const said = (thrown: unknown): string => String(thrown instanceof Error ? thrown.message : thrown).replaceAll(`${folder}/`, '');

function refusal(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'invalid_argument' });
    return said(thrown);
  }
}

const good = '# What I want.\nunits:\n  - cpu: 1\n    memory: 1Gi\n    storage:\n      - size: 1Gi\n';

describe('a request in a file', () => {
  it('is refused with the lines of everything that is wrong with it', () => {
    expect(refusal(() => read('units:\n  - cpu: 1\n    memory: 1Gi\n  - cpu: lots\n    disk: 1\n    memory: 1Gi\n'))).toMatch(
      /^fit\.yaml:5: units\[1\]\.disk: is no field of this form: there are id, .*\nfit\.yaml:4: units\[1\]\.cpu: "lots" must be a decimal number/,
    );
    expect(refusal(() => read('cpu: 1\n'))).toBe('fit.yaml:1: memory: is required: an amount such as 16Gi');
    expect(refusal(() => read('- cpu: 1\n'))).toMatch(/^fit\.yaml:1: must be an object with units, or one unit/);
    expect(refusal(() => read('cpu: [\n'))).toMatch(/^fit\.yaml:\d: /);
    expect(refusal(() => read(''))).toBe('fit.yaml is empty: it must have a request');
    expect(refusal(() => read('cpu: 1\nmemory: 1\n---\ncpu: 1\n'))).toBe(
      'fit.yaml:4: a second request: a file has one; its units can be many',
    );
    expect(refusal(() => readRequest({ filename: join(folder, 'none.yaml') }))).toMatch(/^-f none\.yaml cannot be read: ENOENT/);
  });

  it('has the refusals of the service in its own names, with its lines', () => {
    const refused = invalidFields([
      { field: 'request.units[0].cpu_millis', description: 'is 1000; it must be less' },
      { field: 'units[0].volumes[0].bytes', description: 'is too little' },
      { field: 'units', description: 'ask for too much together' },
    ]);
    expect(said(read(good).explained(refused))).toBe(
      [
        'fit.yaml:3: units[0].cpu: is 1000; it must be less',
        'fit.yaml:6: units[0].storage[0].size: is too little',
        'fit.yaml:2: units: ask for too much together',
      ].join('\n'),
    );
    expect(said(read('cpu: 1\nmemory: 1Gi\n').explained(refused))).toBe(
      [
        'fit.yaml:1: cpu: is 1000; it must be less',
        'fit.yaml:1: storage[0].size: is too little',
        'fit.yaml:1: ask for too much together',
      ].join('\n'),
    );
    const away = new StatusError('unavailable', 'away');
    expect(read(good).explained(away)).toBe(away);
  });
});

describe('a request by flags', () => {
  it('is one unit', () => {
    const { request } = readRequest({ cpu: '4', memory: '16Gi', gpu: 'h100=2', replicas: 3, storage: '10Gi' });
    expect(request.units).toMatchObject([
      {
        id: 1,
        count: 3,
        cpuMillis: 4000n,
        memoryBytes: 16n * 2n ** 30n,
        gpus: { count: 2, wants: [{ vendor: 'nvidia', model: 'h100' }] },
        volumes: [{ name: 'default', bytes: 10n * 2n ** 30n }],
      },
    ]);
  });

  it.each([
    ['h100', 'nvidia', 'h100', 1],
    ['amd/mi300x=4', 'amd', 'mi300x', 4],
    ['*=2', 'nvidia', '*', 2],
  ])('wants cards: %s', (gpu, vendor, model, count) => {
    expect(readRequest({ cpu: '1', memory: '1Gi', gpu }).request.units[0]?.gpus).toMatchObject({ count, wants: [{ vendor, model }] });
  });

  it('is refused by the flag', () => {
    expect(refusal(() => readRequest({ cpu: 'lots' }))).toMatch(
      /^--cpu: "lots" must be .*\n--memory: is required: an amount such as 16Gi$/,
    );
    expect(refusal(() => readRequest({ cpu: '1', memory: '1Gi', gpu: 'h100=two' }))).toContain(
      '--gpu "h100=two" must be MODEL, MODEL=COUNT',
    );
    expect(refusal(() => readRequest({}))).toContain('-f FILE');
    expect(refusal(() => readRequest({ filename: 'x', cpu: '1', gpu: 'h100' }))).toBe(
      '-f has the whole request: leave out --cpu, --gpu, or -f',
    );
    const { explained } = readRequest({ cpu: '1', memory: '1Gi' });
    const refused = invalidFields([
      { field: 'request.units[0].memory_bytes', description: 'is too much' },
      { field: 'request.units[0].count', description: 'is too much' },
      { field: 'request.units', description: 'ask for too much' },
    ]);
    expect(said(explained(refused))).toBe('--memory: is too much\n--replicas: is too much\nask for too much');
  });
});

it.each([
  ['request.units[1].gpus.wants[0].memory_bytes', 'units[1].gpu.wants[0].memory'],
  ['units[1].random_ports', 'units[1].ports'],
  ['units[1].leased_ips[2]', 'units[1].ips[2]'],
  ['units[1].volumes[2].storage_class', 'units[1].storage[2].class'],
  ['order.owner', 'order.owner'],
])('names %s as the form does', (field, expected) => {
  expect(formField(field, false)).toBe(expected);
});
