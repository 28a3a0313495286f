import { describe, expect, it } from 'vitest';
import { ConsoleSessions, sessionCookie } from './console-sessions.ts';

const alice = { token: 'secret', name: 'alice', role: 'tenant' };
const host = '127.0.0.1:8080';
const pairOf = (cookie: string): string => cookie.split(';')[0] ?? '';

describe('the sessions of a console', () => {
  it('know who signed in by a cookie that holds no token and that scripts cannot read', () => {
    const sessions = new ConsoleSessions();
    const cookie = sessionCookie(host, sessions.open(alice));
    expect(cookie).not.toContain('secret');
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(sessions.stateOf({ host, cookie: `other=1; ${pairOf(cookie)}` })).toMatchObject({ kind: 'token', session: alice });
  });

  it('take a cookie that they do not know for a session that ended, not for nobody', () => {
    const sessions = new ConsoleSessions();
    const cookie = pairOf(sessionCookie(host, new ConsoleSessions().open(alice)));
    expect(sessions.stateOf({ host, cookie })).toEqual({ kind: 'ended' });
    expect(sessions.stateOf({ host })).toEqual({ kind: 'local' });
  });

  it('end when somebody signs out', () => {
    const sessions = new ConsoleSessions();
    const id = sessions.open(alice);
    sessions.close(id);
    expect(sessions.stateOf({ host, cookie: pairOf(sessionCookie(host, id)) })).toEqual({ kind: 'ended' });
    expect(sessionCookie(host, undefined)).toContain('Max-Age=0');
  });

  it('belong to one port of the machine', () => {
    const sessions = new ConsoleSessions();
    const cookie = pairOf(sessionCookie(host, sessions.open(alice)));
    expect(sessions.stateOf({ host: '127.0.0.1:9090', cookie })).toEqual({ kind: 'local' });
  });

  it('do not grow without end', () => {
    const sessions = new ConsoleSessions();
    const first = sessions.open(alice);
    for (let index = 0; index < 1_000; index += 1) sessions.open(alice);
    expect(sessions.stateOf({ host, cookie: pairOf(sessionCookie(host, first)) })).toEqual({ kind: 'ended' });
  });
});
