import type { HostsCreateRequest, HostsUpdateRequest } from '@quartermaster/api/private';
import { describe, expect, it } from 'vitest';
import { Requests } from './requests.ts';
import { hostCount, sampleHost } from './sample-host.ts';

describe('the requests of the benchmark', () => {
  it('create no machine twice, in whichever process they are made', () => {
    const requests = [new Requests(), new Requests(hostCount * 80)];
    const created = requests.flatMap((each) =>
      Array.from({ length: 3_000 }, () => (each.next('create') as HostsCreateRequest).object?.spec),
    );
    const last = sampleHost(hostCount - 1).spec;
    for (const mark of ['serial', 'systemUuid', 'bootMac'] as const) {
      expect(new Set([last, ...created].map((spec) => spec?.[mark])).size).toBe(6_001);
    }
    expect(new Set(created.map((spec) => `${spec?.rack}/${spec?.rackUnit}`)).size).toBe(6_000);
  });

  it('update what identifies a host only where their name says so', () => {
    const requests = new Requests();
    const maskOf = (work: 'update-masked' | 'update-hot' | 'update-rack') => (requests.next(work) as HostsUpdateRequest).updateMask?.paths;
    expect([maskOf('update-masked'), maskOf('update-hot'), maskOf('update-rack')]).toEqual([['spec.title'], ['spec.title'], ['spec.rack']]);
  });
});
