import { FakeClock, StatusError, seededRandom, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sealedSession } from '../session/console-session.ts';
import { SealedCookie } from '../session/sealed-cookie.ts';
import type { SessionHeaders } from '../session/session-key.ts';
import { openSessionKeys } from '../session/session-keys.ts';
import type { Waiting } from '../upstreams/upstreams.ts';
import { Sessions, type SessionsOptions } from './sessions.ts';

const { signal } = new AbortController();
const host = '127.0.0.1:8443';
/** Names an address, which is for the log. */
const cause = new Error('connect ECONNREFUSED 10.1.2.3:443');
const facts = { tenants: [], rights: [], version: '', default_tenants: [], may_read_secrets: false };

async function makeSessions({ oidc, away }: { oidc?: SessionsOptions['oidc']; away?: { isAway: boolean } } = {}) {
  const clock = new FakeClock();
  const keys = await openSessionKeys({ file: undefined, clock, log: silentLog });
  const cookie = new SealedCookie({ keys, clock, isSecure: false, purpose: 'session', schema: sealedSession });
  const waited: Waiting[] = [];
  const callerOf = async (token: string, waiting: Waiting) => {
    waited.push(waiting);
    if (away?.isAway === true) throw new StatusError('unavailable', 'all are away', { cause });
    return { ...facts, name: token.replace('of-', ''), role: 'admin' };
  };
  const options = {
    cookie,
    ways: ['token'],
    upstreams: ['inventory', 'cluster'],
    lifetimeMs: 3_600_000,
    callerOf,
    oidc,
    clock,
    random: seededRandom(1),
    log: silentLog,
  } as const;
  return { sessions: new Sessions(options), clock, waited };
}

/** What a browser sends after these answers. */
const headersOf = (cookies: readonly string[], key: string | undefined): SessionHeaders => ({
  host,
  cookie: cookies.map((line) => line.split(';')[0]).join('; '),
  'x-quartermaster-console': key,
});

describe('a session', () => {
  it('is of whoever has both its cookie and its key', async () => {
    const { sessions } = await makeSessions();
    const ann = await sessions.open({ host }, 'token', { token: 'of-ann' }, signal);
    const tim = await sessions.open({ host }, 'token', { token: 'of-tim' }, signal);
    expect(ann.view.key).toMatch(/^[\w-]{43}$/);
    const own = headersOf(ann.cookies, ann.view.key);
    expect(await sessions.require(own)).toMatchObject({ token: 'of-ann' });
    expect((await sessions.look(own, signal)).view).toMatchObject({
      kind: 'signed-in',
      caller: { name: 'ann' },
      upstreams: ['inventory', 'cluster'],
    });
    expect((await sessions.look({ host }, signal)).view).not.toHaveProperty('upstreams');
    expect((await sessions.look(own, signal)).view).not.toHaveProperty('key');
    for (const key of [undefined, '', '1', tim.view.key]) {
      const wrong = headersOf(ann.cookies, key);
      const refusal = { code: 'unauthenticated', details: { reason: 'SESSION_REPLACED' } };
      await expect(sessions.require(wrong)).rejects.toMatchObject(refusal);
      await expect(sessions.end(wrong)).rejects.toMatchObject(refusal);
      expect(await sessions.look(wrong, signal)).toEqual({ view: { kind: 'other', signIn: ['token'] }, cookies: [] });
    }
    expect((await sessions.end(own)).cookies).toHaveLength(1);
  });

  it('is opened with patience for services that are busy, and looked at without', async () => {
    const { sessions, waited } = await makeSessions();
    const { view, cookies } = await sessions.open({ host }, 'token', { token: 'of-ann' }, signal);
    await sessions.check('of-ann', signal);
    await sessions.look(headersOf(cookies, view.key), signal);
    expect(waited).toEqual(['patiently', 'patiently', 'briefly']);
  });

  it('stays while no service says whose it is, and says why', async () => {
    const away = { isAway: false };
    const { sessions } = await makeSessions({ away });
    const { view, cookies } = await sessions.open({ host }, 'token', { token: 'of-ann' }, signal);
    away.isAway = true;
    expect(await sessions.look(headersOf(cookies, view.key), signal)).toMatchObject({
      view: { kind: 'signed-in', caller: undefined, problem: 'all are away' },
      cookies: [],
    });
  });

  describe('that is renewed', () => {
    const minute = 60_000;
    const tokens = { token: 'of-ann', refreshToken: 'r1' };
    const renewing = async (renew: () => Promise<{ token: string; refreshToken: string; tokenEndsAt?: number | undefined }>) => {
      const made = await makeSessions({ oidc: { renew, end: async () => undefined } });
      const { clock, sessions } = made;
      const { view, cookies } = await sessions.open({ host }, 'oidc', { ...tokens, tokenEndsAt: clock.now() + 10 * minute }, signal);
      return { ...made, key: view.key, cookies };
    };

    it('keeps an end when the issuer does not say one: that of the tokens before', async () => {
      let renewals = 0;
      const { sessions, clock, key, cookies } = await renewing(async () => {
        renewals += 1;
        return { token: 'of-ann-again', refreshToken: 'r2' };
      });
      await clock.advance(10 * minute);
      const again = await sessions.look(headersOf(cookies, key), signal);
      expect(again.view).toMatchObject({ kind: 'signed-in', caller: { name: 'ann-again' } });
      const later = headersOf(again.cookies, key);
      expect(await sessions.require(later)).toMatchObject({ token: 'of-ann-again', tokenEndsAt: clock.now() + 10 * minute });
      await sessions.look(later, signal);
      expect(renewals).toBe(1);
      await clock.advance(10 * minute);
      await expect(sessions.require(later)).rejects.toThrow('has ended');
      await sessions.look(later, signal);
      expect(renewals).toBe(2);
    });

    it('takes no cookie away when the issuer refuses: the browser may have a newer one', async () => {
      const refuse = () => Promise.reject(new StatusError('unauthenticated', 'invalid_grant', { cause }));
      const { sessions, clock, key, cookies } = await renewing(refuse);
      await clock.advance(10 * minute);
      expect(await sessions.look(headersOf(cookies, key), signal)).toEqual({
        view: { kind: 'ended', signIn: ['token'], problem: 'invalid_grant' },
        cookies: [],
      });
    });
  });
});
