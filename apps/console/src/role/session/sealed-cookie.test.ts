import { FakeClock } from '@quartermaster/kernel';
import { KeyRing, parseKeyRing, type RingKey } from '@quartermaster/store/key-ring';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SealedCookie } from './sealed-cookie.ts';

const schema = z.object({ token: z.string() });
const host = '127.0.0.1:8443';
const canary = 'canary-token-3f9a';

const ringOf = (...keys: readonly [RingKey, ...RingKey[]]) => ({
  current: () => keys[0],
  find: (id: string) => keys.find((key) => key.id === id),
  close: () => Promise.resolve(),
});
const newKey = (): RingKey => parseKeyRing(KeyRing.generate())[0];

function sealing(keys = ringOf(newKey()), clock = new FakeClock(), { purpose = 'session', isSecure = true } = {}) {
  return new SealedCookie({ purpose, schema, isSecure, keys, clock });
}

const cookieIn = (lines: readonly string[]): string => lines.map((line) => line.split(';')[0]).join('; ');

describe('a sealed cookie', () => {
  it('opens as it was sealed, also in another replica with the same keys, and shows nothing of itself', async () => {
    const keys = ringOf(newKey());
    const clock = new FakeClock();
    const lines = await sealing(keys, clock).seal({ host }, { token: canary }, clock.now() + 60_000);
    expect(lines.join()).not.toContain(canary);
    expect(Buffer.from(lines.join(), 'base64').toString('latin1')).not.toContain(canary);
    expect(lines[0]).toMatch(/^__Host-quartermaster-session=/);
    expect(await sealing(keys, clock).open({ host, cookie: cookieIn(lines) })).toEqual({ kind: 'open', value: { token: canary } });
  });

  it('is nobody’s once a single character of it is another', async () => {
    const keys = ringOf(newKey());
    const clock = new FakeClock();
    const cookie = sealing(keys, clock);
    const [line = ''] = await cookie.seal({ host }, { token: canary }, clock.now() + 60_000);
    const [name = '', value = ''] = cookieIn([line]).split(/=(.*)/);
    await fc.assert(
      fc.asyncProperty(fc.nat(value.length - 1), fc.constantFrom('A', 'Z', 'a', 'z', '0', '9', '-', '_', '.'), async (at, other) => {
        fc.pre(value[at] !== other);
        const altered = value.slice(0, at) + other + value.slice(at + 1);
        // The last character of a part holds bits that base64 does not use.
        fc.pre(!sameBytes(value, altered));
        expect(await cookie.open({ host, cookie: `${name}=${altered}` })).toEqual({ kind: 'unusable' });
      }),
    );
  });

  it('opens with every key of the ring, and with none outside of it', async () => {
    const [older, newer] = [newKey(), newKey()];
    const clock = new FakeClock();
    const sealed = cookieIn(await sealing(ringOf(older), clock).seal({ host }, { token: canary }, clock.now() + 60_000));
    expect((await sealing(ringOf(newer, older), clock).open({ host, cookie: sealed })).kind).toBe('open');
    expect((await sealing(ringOf(newer), clock).open({ host, cookie: sealed })).kind).toBe('unusable');
    expect((await sealing(ringOf({ id: older.id, secret: newer.secret }), clock).open({ host, cookie: sealed })).kind).toBe('unusable');
  });

  it('ends when it has to, and is good for its own purpose alone', async () => {
    const keys = ringOf(newKey());
    const clock = new FakeClock();
    const sealed = cookieIn(await sealing(keys, clock).seal({ host }, { token: canary }, clock.now() + 60_000));
    const renamed = sealed.replace('-session=', '-sign-in=');
    expect((await sealing(keys, clock, { purpose: 'sign-in' }).open({ host, cookie: renamed })).kind).toBe('unusable');
    await clock.advance(61_000);
    expect((await sealing(keys, clock).open({ host, cookie: sealed })).kind).toBe('unusable');
  });

  it('is there in parts when it is long, and refused when it is longer than cookies can be', async () => {
    const cookie = sealing();
    const token = 'x'.repeat(6_000);
    const lines = await cookie.seal({ host }, { token }, 60_000_000_000_000);
    expect(lines.length).toBeGreaterThan(1);
    expect(await cookie.open({ host, cookie: cookieIn(lines) })).toEqual({ kind: 'open', value: { token } });
    await expect(cookie.seal({ host }, { token: 'x'.repeat(12_000) }, 60_000)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('has a name for each port of a machine where there is no TLS', async () => {
    const cookie = sealing(undefined, undefined, { isSecure: false });
    const sealed = cookieIn(await cookie.seal({ host: 'localhost:7390' }, { token: 'a' }, 60_000_000_000_000));
    expect(sealed).toMatch(/^quartermaster-session-7390=/);
    expect((await cookie.open({ host: 'localhost:7391', cookie: sealed })).kind).toBe('none');
  });
});

function sameBytes(one: string, other: string): boolean {
  const bytesOf = (text: string): string =>
    text
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.');
  return bytesOf(one) === bytesOf(other);
}
