import { describe, expect, it } from 'vitest';
import { readOrder } from './fit-order.ts';

const empty = { cpu: '', memory: '', gpus: '', model: '', class: '', size: '', replicas: '' };

describe('an order as somebody types it', () => {
  it('is read in the quantities of Kubernetes, one replica unless said otherwise', () => {
    expect(readOrder({ ...empty, cpu: '500m', memory: '1.5Gi', gpus: '2', model: 'h100' }).order).toEqual({
      cpuMillis: 500,
      memoryBytes: 1.5 * 1024 ** 3,
      gpus: 2,
      gpuModel: 'h100',
      storageClass: '',
      storageBytes: 0,
      replicas: 1,
    });
  });

  it('is none while nothing is asked for', () => {
    for (const texts of [empty, { ...empty, replicas: '3' }, { ...empty, size: '10Gi' }, { ...empty, cpu: '1', replicas: '0' }]) {
      expect(readOrder(texts)).toMatchObject({ order: undefined, problems: {} });
    }
  });

  it('says beside each field what is wrong with it', () => {
    const { order, problems } = readOrder({ ...empty, cpu: 'many', memory: '-1Gi', gpus: '1.5', class: 'beta3', size: '0' });
    expect(order).toBeUndefined();
    expect(Object.keys(problems).toSorted()).toEqual(['cpu', 'gpus', 'memory', 'size']);
    expect(problems.gpus).toContain('whole number');
    expect(problems.cpu).toContain('decimal number');
  });

  it('reads sizes as the console prints them, and says what a bare number is', () => {
    const read = (memory: string) => readOrder({ ...empty, memory });
    expect(['2 TiB', '2TiB', '2Ti', '2\u202f048 GiB'].map((text) => read(text).order?.memoryBytes)).toEqual(Array(4).fill(2 * 1024 ** 4));
    expect(read('64').notes.memory).toBe('64 bytes: add a unit, such as Gi or TiB');
    expect(read('64Gi').notes).toEqual({});
  });
});
