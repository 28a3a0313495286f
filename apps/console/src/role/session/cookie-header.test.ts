import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CookieForm, dropCookie, mostCookieBytes, readCookie, writeCookie } from './cookie-header.ts';

const form: CookieForm = { name: '__Host-s', isSecure: true };

/** What a browser sends after it was given these lines. */
function sentAfter(header: string | undefined, lines: readonly string[]): string {
  const jar = new Map((header ?? '').split('; ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split('; ');
    const name = pair.slice(0, pair.indexOf('='));
    if (attributes.includes('Max-Age=0')) jar.delete(name);
    else jar.set(name, pair.slice(pair.indexOf('=') + 1));
  }
  jar.delete('');
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

describe('a cookie in parts', () => {
  const lengths = fc.integer({ min: 1, max: mostCookieBytes });

  it('is read as it was written, whatever was there before', () => {
    fc.assert(
      fc.property(lengths, lengths, (before, after) => {
        const first = sentAfter('other=1', writeCookie('other=1', form, 'a'.repeat(before), 60));
        const second = sentAfter(first, writeCookie(first, form, 'b'.repeat(after), 60));
        expect(readCookie(second, form.name)).toBe('b'.repeat(after));
        expect(sentAfter(second, dropCookie(second, form))).toBe('other=1');
      }),
    );
  });

  it('keeps every line within what browsers take, and out of reach of scripts and other sites', () => {
    const lines = writeCookie(undefined, form, 'a'.repeat(mostCookieBytes), 60);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line.length).toBeLessThan(4096);
      expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=60; Secure$/);
    }
    expect(writeCookie(undefined, { ...form, isSecure: false }, 'a', 60)[0]).not.toContain('Secure');
  });

  it('takes no cookie of another name for a part of it', () => {
    const header = '__Host-sx=1; __Host-s.x=2; __Host-s.0.1=3; x__Host-s=4';
    expect(readCookie(header, form.name)).toBeUndefined();
    expect(dropCookie(header, form)).toEqual([]);
  });
});
