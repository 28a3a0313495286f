import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathInRoot } from './path-in-root.ts';

const links =
  (targets: Readonly<Record<string, string>>) =>
  async (file: string): Promise<string | undefined> =>
    Object.hasOwn(targets, file) ? targets[file] : undefined;

describe('pathInRoot', () => {
  it('resolves absolute links below the root', async () => {
    const target = links({ '/host/etc/hostname': '/run/hostname' });
    expect(await pathInRoot('/host', '/etc/hostname', target)).toBe('/host/run/hostname');
  });

  it('resolves relative links where they lie, as sysfs has them', async () => {
    const target = links({ '/host/sys/class/net/eth0': '../../devices/pci0000:00/0000:00:03.0/net/eth0' });
    expect(await pathInRoot('/host', '/sys/class/net/eth0/address', target)).toBe(
      '/host/sys/devices/pci0000:00/0000:00:03.0/net/eth0/address',
    );
  });

  it('leaves the last part alone when it is asked about a link itself', async () => {
    const target = links({ '/host/a': '/b', '/host/b/driver': '../c' });
    expect(await pathInRoot('/host', '/a/driver', target, { keepLast: true })).toBe('/host/b/driver');
  });

  it('gives up on links that go in circles', async () => {
    await expect(pathInRoot('/host', '/a', links({ '/host/a': '/b', '/host/b': 'a' }))).rejects.toThrow('more than 40 links');
  });

  it('never leaves the root, whatever links say', async () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b', 'c', 'etc');
    const path = fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`);
    const target = fc.tuple(fc.boolean(), path).map(([isAbsolute, text]) => (isAbsolute ? text : text.slice(1)));
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.array(fc.tuple(fc.constantFrom('/host/a', '/host/b', '/host/a/b', '/host/c'), target)),
        async (asked, pairs) => {
          const found = await pathInRoot('/host', asked, links(Object.fromEntries(pairs))).catch(() => '/host');
          expect(posix.normalize(found).replace(/\/$/, '')).toMatch(/^\/host(\/|$)/);
        },
      ),
    );
  });
});
