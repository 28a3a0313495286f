import { describe, expect, it } from 'vitest';
import type { LeaseId } from '../model/lease.ts';
import { hostnameRules } from './hostname-rules.ts';
import { isRefusal } from './normal-hostname.ts';
import { providerHostObject } from './provider-host.ts';

const lease: LeaseId = { owner: 'alice', dseq: 7n, gseq: 1, oseq: 2, provider: 'prov' };
const made = (hostname: string) => providerHostObject(lease, { hostname, service: 'web', externalPort: 80 }, 'lease').object;

describe('a ProviderHost', () => {
  it('says which service of which lease answers on a name', () => {
    const { apiVersion, kind, metadata, spec } = made('www.example.com');
    expect([apiVersion, kind, metadata?.name, metadata?.namespace]).toEqual([
      'akash.network/v2beta2',
      'ProviderHost',
      'www.example.com',
      'lease',
    ]);
    expect(metadata?.labels).toMatchObject({
      'akash.network': 'true',
      'akash.network/namespace': 'lease-alice-7-1-2',
      'akash.network/lease.id.dseq': '7',
    });
    expect(spec).toEqual({
      ...{ hostname: 'www.example.com', owner: 'alice', provider: 'prov', dseq: 7, gseq: 1, oseq: 2 },
      ...{ service_name: 'web', external_port: 80 },
    });
    expect(made('www.example.com')).toEqual(made('www.example.com'));
  });

  it('of a wildcard has a name that no tenant can claim, however long it is', () => {
    const rules = hostnameRules({ blocked: [], ingressDomain: '', publicHostname: '' });
    for (const hostname of ['*.example.com', `*.${`${'a'.repeat(60)}.`.repeat(4)}com`]) {
      const { metadata, spec } = made(hostname);
      const name = metadata?.name ?? '';
      expect(spec?.hostname).toBe(hostname);
      expect(name).toMatch(/^wildcard-[0-9a-f]+/);
      expect(name.length).toBeLessThanOrEqual(253);
      expect(isRefusal(rules(lease, { hostname: name, service: 'web', externalPort: 80, isStatic: false }))).toBe(true);
    }
    expect(made('*.example.com').metadata?.name).not.toBe(made('*.example.org').metadata?.name);
  });
});
