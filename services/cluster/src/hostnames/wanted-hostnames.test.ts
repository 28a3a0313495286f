import type { Expose, ManifestGroup } from '@quartermaster/api/lease-manifest';
import { describe, expect, it } from 'vitest';
import type { LeaseId } from '../model/lease.ts';
import { hostnameFaults, wantedHostnames } from './wanted-hostnames.ts';

const lease: LeaseId = {
  ...{ owner: 'akash1cduzr54kdle453lzt28nxnf99ed4tue8l97lvy', dseq: 2914783n, gseq: 1, oseq: 1 },
  provider: 'akash1nxq8gmsw2vlz3m68qvyvcf3kh6q269ajvqw6y0',
};

const expose = (changed: Partial<Expose>): Expose => ({
  ...{ port: 8080, externalPort: 80, protocol: 'TCP', service: '', global: true, hosts: [], ip: '', endpointNumber: 0 },
  http: { maxBodySize: 0, readTimeout: 0, sendTimeout: 0, nextTries: 0, nextTimeout: 0, nextCases: [] },
  ...changed,
});

const groupOf = (...exposes: readonly Partial<Expose>[]): ManifestGroup => ({
  name: 'group',
  services: [
    {
      ...{ name: 'web', image: 'nginx', command: [], args: [], env: [], count: 1, mounts: [], permissions: [] },
      resources: { id: 1, cpuMillis: 1, memoryBytes: 1, gpus: 0, gpuAttributes: [], volumes: [] },
      exposes: exposes.map(expose),
    },
  ],
});

const off = { ingressDomain: 'apps.example.net', staticHosts: false };
const on = { ingressDomain: 'apps.example.net', staticHosts: true };

describe('the hostnames of a manifest', () => {
  it('are those of the exposes that share a port', () => {
    const group = groupOf(
      { hosts: ['www.example.com', 'example.com'] },
      { hosts: ['udp.example.com'], protocol: 'UDP' },
      { hosts: ['inside.example.com'], global: false },
      { hosts: ['port.example.com'], externalPort: 8080 },
      { hosts: ['ip.example.com'], ip: 'front' },
    );
    expect(wantedHostnames(lease, group, off)).toEqual([
      { hostname: 'www.example.com', service: 'web', externalPort: 80, isStatic: false },
      { hostname: 'example.com', service: 'web', externalPort: 80, isStatic: false },
    ]);
  });

  it('are led by the one that the provider gives, once for each service', () => {
    const wanted = wantedHostnames(lease, groupOf({ hosts: ['www.example.com'] }, { port: 80, externalPort: 0 }), on);
    expect(wanted.map(({ hostname, isStatic }) => [hostname, isStatic])).toEqual([
      ['t6pi8llrvl8rf1d57ks8u1goh8.apps.example.net', true],
      ['www.example.com', false],
    ]);
  });

  it('are missing where the provider gives none', () => {
    const group = groupOf({}, { hosts: ['www.example.com'] }, { externalPort: 22 });
    expect(hostnameFaults(group, off)).toEqual([{ code: 'HostnameMissing', message: expect.stringContaining('service web') }]);
    expect(hostnameFaults(group, on)).toEqual([]);
    expect(hostnameFaults(group, { ingressDomain: '', staticHosts: true })).toHaveLength(1);
  });
});
