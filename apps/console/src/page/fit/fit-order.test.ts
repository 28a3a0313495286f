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
      expect(readOrder(texts)).toEqual({ order: undefined, problems: {} });
    }
  });

  it('says beside each field what is wrong with it', () => {
    const { order, problems } = readOrder({ ...empty, cpu: 'many', memory: '-1Gi', gpus: '1.5', class: 'beta3', size: '0' });
    expect(order).toBeUndefined();
    expect(Object.keys(problems).toSorted()).toEqual(['cpu', 'gpus', 'memory', 'size']);
    expect(problems.gpus).toContain('whole number');
    expect(problems.cpu).toContain('decimal number');
  });
});
