import { describe, expect, it } from 'vitest';
import { leaseContent, service, unitOf } from '../../test/lease-content.ts';
import { Gi } from '../../test/sample-facts.ts';
import { quotaObject } from './quota-object.ts';

describe('the quota of what is sold more than once', () => {
  it('has requests of what is planned and limits of what was ordered', () => {
    const shm = { name: 'shm', bytes: Gi, kind: 'ram', class: '' } as const;
    const files = { name: 'default', bytes: 6 * Gi, kind: 'ephemeral', class: '' } as const;
    const ordered = service({ count: 2, resources: { cpuMillis: 2_000, memoryBytes: 4 * Gi, volumes: [files, shm] } });
    const planned = unitOf(ordered, { cpuMillis: 500, memoryBytes: 2 * Gi, ephemeralBytes: 3 * Gi });
    const content = leaseContent([ordered], { plan: { units: [planned], ports: 0, ips: 0 } });
    expect(quotaObject(content).object.spec?.hard).toMatchObject({
      pods: '3',
      'requests.cpu': '1500m',
      'limits.cpu': '6',
      'requests.memory': '6Gi',
      'limits.memory': '15Gi',
      'requests.ephemeral-storage': '9Gi',
      'limits.ephemeral-storage': '18Gi',
    });
  });

  it('has no room beside the pods of a StatefulSet, which waits for each until it is gone, and none for volumes that were not ordered', () => {
    const data = { name: 'data', bytes: 5 * Gi, kind: 'persistent', class: 'beta3' } as const;
    const ordered = service({ count: 2, resources: { cpuMillis: 1_000, volumes: [data] } });
    expect(quotaObject(leaseContent([ordered])).object.spec?.hard).toMatchObject({
      pods: '2',
      'requests.cpu': '2',
      'requests.storage': '10Gi',
      persistentvolumeclaims: '2',
    });
  });
});
