import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { hostnameSettings } from './hostname-settings.ts';

const settings = z.object(hostnameSettings);

describe('settings of hostnames', () => {
  it('say nothing unless they are given', () => {
    expect(settings.parse({})).toEqual({
      ...{ 'blocked-hostnames': [], 'deployment-ingress-static-hosts': false, 'hostname-cool-down': 600_000, 'hostnames-per-owner': 500 },
    });
  });

  it('are compared in A-labels', () => {
    const read = settings.parse({
      'blocked-hostnames': ['.Bücher.de', 'WWW.example.com', '.ru'],
      'deployment-ingress-domain': 'Apps.Example.NET',
    });
    expect(read['blocked-hostnames']).toEqual(['.xn--bcher-kva.de', 'www.example.com', '.ru']);
    expect(read['deployment-ingress-domain']).toBe('apps.example.net');
  });

  it('name what is wrong with them', () => {
    const refused = settings.safeParse({ 'blocked-hostnames': ['*.example.com', 'a b'], 'cluster-public-hostname': '192.0.2.1' });
    expect(refused.error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['blocked-hostnames.0', '"*.example.com": write .example.com for a domain and everything below it'],
      ['blocked-hostnames.1', expect.stringContaining('characters that no hostname has')],
      ['cluster-public-hostname', expect.stringContaining('is an IP address')],
    ]);
  });
});
