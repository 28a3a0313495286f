import { fieldViolationsOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { Request, Unit } from './request.ts';
import { checkRequest } from './request-limits.ts';

const Mi = 2 ** 20;
const Ti = 2 ** 40;
const unit: Unit = { id: 1, count: 1, cpuMillis: 1000, memoryBytes: 512 * Mi, volumes: [] };
const volume = { kind: 'ephemeral', name: 'root', bytes: 5 * Mi } as const;

function violations(request: Request): string[] {
  try {
    checkRequest(request);
    return [];
  } catch (thrown) {
    return fieldViolationsOf(thrown).map(({ field, description }) => `${field} ${description}`);
  }
}

describe('the limits of a request', () => {
  it.each<[string, Partial<Unit>]>([
    ['the least', { cpuMillis: 10, memoryBytes: Mi, volumes: [volume] }],
    ['the most', { cpuMillis: 384_000, memoryBytes: 2 * Ti, count: 50, gpus: { count: 24, wants: [{ vendor: 'nvidia', model: '*' }] } }],
    ['the largest volume', { volumes: [{ ...volume, bytes: 32 * Ti }] }],
    ['no cards', { gpus: { count: 0, wants: [] } }],
  ])('allow %s', (_, changed) => {
    expect(violations({ units: [{ ...unit, ...changed }] })).toEqual([]);
  });

  it.each<[string, Partial<Unit>, RegExp]>([
    ['too little cpu', { cpuMillis: 9 }, /^units\[0\]\.cpu_millis is 9; .* from 10 to 384000 \(0\.01 cores to 384 cores\)$/],
    ['too much cpu', { cpuMillis: 384_001 }, /cpu_millis/],
    ['half a millicore', { cpuMillis: 10.5 }, /cpu_millis.*whole number/],
    ['too little memory', { memoryBytes: Mi - 1 }, /memory_bytes is 1048575; .* \(1 MiB to 2 TiB\)$/],
    ['too much memory', { memoryBytes: 2 * Ti + 1 }, /memory_bytes/],
    ['too many cards', { gpus: { count: 25, wants: [{ vendor: 'nvidia', model: '*' }] } }, /gpus\.count.*0 to 24/],
    ['cards of no kind', { gpus: { count: 1, wants: [] } }, /gpus\.wants is empty/],
    ['no replicas', { count: 0 }, /count is 0/],
    ['too many replicas', { count: 51 }, /count is 51; .* from 1 to 50/],
    ['a volume that is too small', { volumes: [{ ...volume, bytes: 5 * Mi - 1 }] }, /volumes\[0\]\.bytes/],
    ['a volume that is too large', { volumes: [{ ...volume, bytes: 32 * Ti + 1 }] }, /volumes\[0\]\.bytes/],
    ['two volumes of one name', { volumes: [volume, volume] }, /volumes\[1\]\.name/],
    [
      'a persistent volume in memory',
      { volumes: [{ kind: 'persistent', name: 'data', class: 'ram', bytes: 5 * Mi }] },
      /volumes\[0\]\.storage_class/,
    ],
    ['ports without end', { randomPorts: 1e6 }, /random_ports/],
  ])('forbid %s', (_, changed, expected) => {
    const found = violations({ units: [{ ...unit, ...changed }] });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  it('bound units, their ids and all of them together', () => {
    const many = (count: number, changed: Partial<Unit> = {}): Request => ({
      units: Array.from({ length: count }, (_, at) => ({ ...unit, ...changed, id: at })),
    });
    expect(violations({ units: [] })).toEqual(['units has 0 units; it must have 1 to 20']);
    expect(violations(many(21))).toEqual(['units has 21 units; it must have 1 to 20']);
    expect(violations({ units: [unit, unit] })[0]).toContain('ids must be unique');
    expect(violations(many(2, { cpuMillis: 384_000, count: 25 }))).toEqual([]);
    expect(violations(many(2, { cpuMillis: 384_000, count: 26 }))[0]).toBe(
      'units ask for 19968 cores together; a request may ask for at most 19200 cores',
    );
    expect(violations(many(3, { memoryBytes: 2 * Ti, count: 20 }))[0]).toBe(
      'units ask for 120 TiB of memory together; a request may ask for at most 100 TiB',
    );
  });
});
