import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseId } from '../model/lease.ts';
import { ingressHost } from '../objects/ingress-host.ts';
import { hostnameRules } from './hostname-rules.ts';
import { isRefusal, isWithin, normalHostname } from './normal-hostname.ts';

const lease: LeaseId = { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1, provider: 'p' };
const rules = hostnameRules({
  blocked: ['secret.example.com', '.blocked.org', '.xn--bcher-kva.example'],
  ingressDomain: 'apps.example.net',
  publicHostname: 'provider.example.net',
});
const judged = (hostname: string, service = 'web', isStatic = false): string => {
  const found = rules(lease, { hostname, service, externalPort: 80, isStatic });
  return isRefusal(found) ? found.code : found.name;
};

describe('a hostname', () => {
  it.each([
    ['www.example.com', 'www.example.com'],
    ['WWW.Example.COM', 'www.example.com'],
    ['*.Example.ORG', '*.example.org'],
    ['Bücher.de', 'xn--bcher-kva.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['ｅｘａｍｐｌｅ。com', 'example.com'],
    ['a.b.c.d.example.com', 'a.b.c.d.example.com'],
    ['123.example.com', '123.example.com'],
    ['app.test', 'app.test'],
    ['www.kawasaki.example', 'www.kawasaki.example'],
    ['city.kawasaki.jp', 'city.kawasaki.jp'],
    ['me.github.io', 'me.github.io'],
    [`${'a'.repeat(63)}.example.com`, `${'a'.repeat(63)}.example.com`],
  ])('%s is %s in A-labels', (written, name) => {
    expect(judged(written)).toBe(name);
  });

  it.each([
    ['', 'HostnameInvalid'],
    ['localhost', 'HostnameInvalid'],
    ['com', 'HostnameInvalid'],
    ['*', 'HostnameInvalid'],
    ['*.', 'HostnameInvalid'],
    ['*.com', 'HostnameInvalid'],
    ['*.*.example.com', 'HostnameInvalid'],
    ['www.*.example.com', 'HostnameInvalid'],
    ['w*.example.com', 'HostnameInvalid'],
    ['example.com.', 'HostnameInvalid'],
    ['.example.com', 'HostnameInvalid'],
    ['a..example.com', 'HostnameInvalid'],
    ['-a.example.com', 'HostnameInvalid'],
    ['a-.example.com', 'HostnameInvalid'],
    ['a_b.example.com', 'HostnameInvalid'],
    ['a b.example.com', 'HostnameInvalid'],
    ['ex%61mple.com', 'HostnameInvalid'],
    ['user@example.com', 'HostnameInvalid'],
    ['example.com/path', 'HostnameInvalid'],
    ['xn--a.com', 'HostnameInvalid'],
    ['xn--example-.com', 'HostnameInvalid'],
    ['a\u200db.com', 'HostnameInvalid'],
    [`${'a'.repeat(64)}.example.com`, 'HostnameInvalid'],
    [`${'a.'.repeat(125)}example.com`, 'HostnameInvalid'],
    [`${'ü'.repeat(60)}.example.com`, 'HostnameInvalid'],
    ['192.0.2.1', 'HostnameIsAddress'],
    ['*.0.2.1', 'HostnameIsAddress'],
    ['127.1', 'HostnameIsAddress'],
    ['2130706433', 'HostnameIsAddress'],
    ['0x7f.1', 'HostnameIsAddress'],
    ['0x7f000001', 'HostnameIsAddress'],
    ['example.0x', 'HostnameIsAddress'],
    ['0300.0250.1.1', 'HostnameIsAddress'],
    ['１２７.0.0.１', 'HostnameIsAddress'],
    ['www.example.123', 'HostnameIsAddress'],
    ['[2001:db8::1]', 'HostnameIsAddress'],
    ['2001:db8::1', 'HostnameIsAddress'],
    ['::ffff:192.0.2.1', 'HostnameIsAddress'],
    ['example.com:80', 'HostnameInvalid'],
    ['co.uk', 'HostnamePublicSuffix'],
    ['*.co.uk', 'HostnamePublicSuffix'],
    ['github.io', 'HostnamePublicSuffix'],
    ['*.github.io', 'HostnamePublicSuffix'],
    ['anything.ck', 'HostnamePublicSuffix'],
    ['*.kawasaki.jp', 'HostnamePublicSuffix'],
    ['公司.cn', 'HostnamePublicSuffix'],
    ['xn--55qx5d.cn', 'HostnamePublicSuffix'],
    ['secret.example.com', 'HostnameBlocked'],
    ['SECRET.example.com', 'HostnameBlocked'],
    ['*.example.com', 'HostnameBlocked'],
    ['blocked.org', 'HostnameBlocked'],
    ['a.b.blocked.org', 'HostnameBlocked'],
    ['*.blocked.org', 'HostnameBlocked'],
    ['www.Bücher.example', 'HostnameBlocked'],
    ['apps.example.net', 'HostnameOfProvider'],
    ['x.apps.example.net', 'HostnameOfProvider'],
    ['a.b.apps.example.net', 'HostnameOfProvider'],
    ['*.apps.example.net', 'HostnameOfProvider'],
    ['*.example.net', 'HostnameOfProvider'],
    ['provider.example.net', 'HostnameOfProvider'],
    ['x.provider.example.net', 'HostnameOfProvider'],
    ['a.b.provider.example.net', 'HostnameOfProvider'],
    ['*.provider.example.net', 'HostnameOfProvider'],
    ['*.b.provider.example.net', 'HostnameOfProvider'],
    ['wildcard-0123abcd.example.com', 'HostnameReserved'],
    ['app.localhost', 'HostnameReserved'],
    ['printer.local', 'HostnameReserved'],
    ['web.default.svc', 'HostnameReserved'],
    ['web.default.svc.cluster.local', 'HostnameReserved'],
    ['metadata.google.internal', 'HostnameReserved'],
    ['1.2.0.192.in-addr.arpa', 'HostnameReserved'],
    ['*.home.arpa', 'HostnameReserved'],
    ['x.invalid', 'HostnameReserved'],
  ])('%s is refused: %s', (written, code) => {
    expect(judged(written)).toBe(code);
  });

  it('may be near to what is refused', () => {
    for (const name of [
      'notblocked.org',
      'www.secret.example.com',
      'example.net',
      'wildcard.example.com',
      'notprovider.example.net',
      '*.www.example.net',
      'local.example.com',
    ])
      expect(judged(name)).toBe(name);
    expect(judged('*.secret.example.com')).toBe('*.secret.example.com');
  });

  it('below the domain of the provider is the one of this lease and service, and no other', () => {
    const own = `${ingressHost(lease, 'web')}.apps.example.net`;
    expect(judged(own, 'web', true)).toBe(own);
    expect(judged(own, 'api', true)).toBe('HostnameOfProvider');
    expect(judged(own, 'web', false)).toBe('HostnameOfProvider');
    expect(judged('x.apps.example.net', 'web', true)).toBe('HostnameOfProvider');
  });

  it('is given by the provider below its own name, too, and nothing else is there', () => {
    const nested = hostnameRules({ blocked: [], ingressDomain: 'apps.provider.example.net', publicHostname: 'provider.example.net' });
    const own = `${ingressHost(lease, 'web')}.apps.provider.example.net`;
    const codeOf = (hostname: string, isStatic: boolean): string => {
      const found = nested(lease, { hostname, service: 'web', externalPort: 80, isStatic });
      return isRefusal(found) ? found.code : found.name;
    };
    expect(codeOf(own, true)).toBe(own);
    expect(codeOf(own, false)).toBe('HostnameOfProvider');
    expect(codeOf('x.apps.provider.example.net', true)).toBe('HostnameOfProvider');
    expect(codeOf('api.provider.example.net', false)).toBe('HostnameOfProvider');
  });

  it('is refused with the name and the way out', () => {
    const found = rules(lease, { hostname: '*.example.com', service: 'web', externalPort: 80, isStatic: false });
    expect(found).toEqual({
      code: 'HostnameBlocked',
      message: '"*.example.com" covers a name that is blocked by this provider: take another name, or another provider',
    });
  });

  const anyText = fc.oneof(
    fc.domain(),
    fc.domain().map((name) => `*.${name}`),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc
      .array(fc.constantFrom('.', '*', 'a', 'A', 'ü', 'ß', '。', '1', '0x', '-', 'xn--', 'com', '\u00ad'), { maxLength: 12 })
      .map((parts) => parts.join('')),
    fc.webUrl(),
    fc.ipV4Extended(),
    fc.ipV6(),
  );

  it('has one form, which is a DNS name of more than one label and no address', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const normal = normalHostname(text);
        if (isRefusal(normal)) {
          expect(normal.message).not.toBe('');
          return;
        }
        expect(normalHostname(normal.name)).toEqual(normal);
        expect(normal.name).toMatch(/^(?:\*\.)?(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/);
        expect(normal.name.length).toBeLessThanOrEqual(253);
        expect(new URL(`http://${normal.base}/`).hostname).toBe(normal.base);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is no address in any notation', () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4Extended(), fc.ipV6()), (address) => isRefusal(normalHostname(address))));
  });

  it('of a tenant is never within what is blocked, and as a wildcard never above it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }),
        (labels, isWildcard, blockedLabels) => {
          const base = [...labels, 'example', 'com'].join('.');
          const blocked = [...blockedLabels, 'example', 'com'].join('.');
          const found = hostnameRules({ blocked: [`.${blocked}`], ingressDomain: '', publicHostname: '' })(lease, {
            ...{ hostname: isWildcard ? `*.${base}` : base, service: 'web', externalPort: 80, isStatic: false },
          });
          const overlaps = isWithin(base, blocked) || (isWildcard && isWithin(blocked, base));
          expect(isRefusal(found)).toBe(overlaps);
        },
      ),
    );
  });
});
