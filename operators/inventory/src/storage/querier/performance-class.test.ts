import { describe, expect, it } from 'vitest';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import { performanceClassOf, performanceLabel, performanceOfDevices } from './performance-class.ts';

const named = (name: string, label?: string): StorageClassFacts => ({
  name,
  provisioner: 'p',
  parameters: {},
  labels: label === undefined ? {} : { [performanceLabel]: label },
  annotations: {},
});

describe('the performance class of a storage class', () => {
  it('is its name before its label before its devices', () => {
    expect(performanceClassOf(named('beta2', 'beta3'), 'beta1')).toBe('beta2');
    expect(performanceClassOf(named('fast', 'beta3'), 'beta1')).toBe('beta3');
    expect(performanceClassOf(named('fast'), 'beta1')).toBe('beta1');
    expect(performanceClassOf(named('fast', 'quick'), undefined)).toBeUndefined();
  });

  it('is told by devices only when all are of one known kind', () => {
    expect(['hdd', 'ssd', 'NVMe'].map((kind) => performanceOfDevices([kind]))).toEqual(['beta1', 'beta2', 'beta3']);
    expect(performanceOfDevices(['ssd', 'ssd'])).toBe('beta2');
    expect(performanceOfDevices(['ssd', 'hdd'])).toBeUndefined();
    expect(performanceOfDevices(['ssd', ''])).toBeUndefined();
    expect(performanceOfDevices([])).toBeUndefined();
  });
});
