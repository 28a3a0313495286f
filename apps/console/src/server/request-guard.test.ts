import { describe, expect, it } from 'vitest';
import { isLoopbackHost, refusalOf, siteOf } from './request-guard.ts';

const from = (host: string | undefined, origin?: string, fetchSite?: string) => refusalOf({ host, origin, fetchSite });

describe('the guard of requests', () => {
  it.each(['127.0.0.1:8080', 'localhost:8080', 'LOCALHOST', '[::1]:8080', '127.9.9.9'])('lets %s pass', (host) => {
    expect(from(host)).toBeUndefined();
  });

  it.each([undefined, '', 'evil.example:8080', '10.0.0.1', '127.0.0.1.evil.example', 'localhost.evil.example', '[::2]:1', '0.0.0.0:8080'])(
    'refuses the host %s',
    (host) => {
      expect(from(host)).toContain('Host');
    },
  );

  it('refuses what another page asks for, also one on another port of this machine', () => {
    expect(from('127.0.0.1:8080', 'http://127.0.0.1:8080', 'same-origin')).toBeUndefined();
    expect(from('127.0.0.1:8080', 'http://127.0.0.1:9090')).toContain('9090');
    expect(from('127.0.0.1:8080', 'null')).toContain('null');
    expect(from('127.0.0.1:8080', undefined, 'cross-site')).toContain('another site');
    expect(from('127.0.0.1:8080', undefined, 'same-site')).toContain('another site');
  });

  it('calls only this machine loopback', () => {
    expect(['127.0.0.1', '::1', 'localhost'].every(isLoopbackHost)).toBe(true);
    expect(['0.0.0.0', '::', '192.168.1.1', '127.0.0.1.nip.io'].some(isLoopbackHost)).toBe(false);
  });
});

describe('the site of a console', () => {
  const site = siteOf({ scheme: 'https', hosts: ['Console.Internal'], publicUrl: 'https://console.example.com' });
  const asked = (host: string, origin?: string) => refusalOf({ host, origin, fetchSite: undefined }, site);

  it('is its public address, the names that are allowed, and loopback', () => {
    for (const host of ['console.example.com', 'console.internal:8443', '127.0.0.1:8443']) {
      expect(asked(host)).toBeUndefined();
      expect(asked(host, `https://${host}`)).toBeUndefined();
      // A proxy before it may have changed the Host.
      expect(asked(host, 'https://console.example.com')).toBeUndefined();
      expect(asked(host, `http://${host}`)).toContain('only the console');
    }
  });

  it('is nothing else', () => {
    expect(asked('evil.example')).toContain('open the console as https://console.example.com');
    expect(asked('console.example.com.evil.example')).toContain('Host');
    expect(asked('console.example.com', 'https://evil.example')).toContain('evil');
    expect(asked('console.example.com', 'https://console.internal')).toContain('console.internal');
  });
});
