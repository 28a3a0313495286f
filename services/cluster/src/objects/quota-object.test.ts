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
      'requests.cpu': '1',
      'limits.cpu': '4',
      'requests.memory': '4Gi',
      'limits.memory': '10Gi',
      'requests.ephemeral-storage': '6Gi',
      'limits.ephemeral-storage': '12Gi',
    });
  });
});
