import { Events } from '@quartermaster/api/private';
import { guardStreams, type Principal, type PrincipalIdentity } from '@quartermaster/auth';
import { FakeClock, StatusError, sleep } from '@quartermaster/kernel';
import { type Authenticate, type Identity, openRpcChannel, serve, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const provider: Principal = {
  name: 'ann',
  role: 'provider',
  visibleTenants: 'all',
  assignableTenants: 'all',
  defaultTenants: [],
  mayReadSecrets: false,
};
const ann: PrincipalIdentity = { kind: 'token', name: 'ann', groups: [], principal: provider };

/** A watch that answers every second, and whoever is told when roles change. */
async function watching(clock: FakeClock, identity: PrincipalIdentity) {
  const watch = serve(Events, {
    async *watch(_request, { signal }) {
      for (let i = 1; ; i += 1) {
        await sleep(clock, 1_000, signal);
        yield { token: String(i) };
      }
    },
  });
  const listeners = new Set<() => void>();
  const onAccessChange = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const authenticate: Authenticate = () => identity;
  const server = await startRpcServer({ services: guardStreams([watch], { clock, onAccessChange }), authenticate });
  ends.push(() => server.stop(1_000));
  const channel = openRpcChannel({ address: server.address });
  ends.push(() => channel.close());
  const seen: string[] = [];
  const stop = new AbortController();
  const end = (async () => {
    for await (const { token } of channel.client(Events).watch({}, { signal: stop.signal })) seen.push(token);
  })().catch((thrown: unknown) => thrown);
  ends.push(() => stop.abort(new Error('the test is over')));
  return { seen, end, listeners };
}

/** Somebody who is looked at again: what that finds, and how often it was asked. */
function examined(find: () => Identity | Error) {
  let count = 0;
  const examine = async (): Promise<Identity> => {
    count += 1;
    const found = find();
    if (found instanceof Error) throw found;
    return found;
  };
  return { identity: { ...ann, examine }, asked: () => count };
}

describe('a stream', () => {
  it.each([
    ['token', 'the token has expired: get a new one'],
    ['certificate', 'the client certificate has expired: get a new one'],
  ] as const)('ends with the %s that opened it', async (kind, message) => {
    const clock = new FakeClock();
    const { seen, end } = await watching(clock, { ...ann, kind, endsAt: clock.now() + 2_500 });
    await expect.poll(() => clock.pendingTimers).toBe(2);
    await clock.advance(1_000);
    await expect.poll(() => seen).toEqual(['1']);
    await expect.poll(() => clock.pendingTimers).toBe(2);
    await clock.advance(1_000);
    await expect.poll(() => seen).toEqual(['1', '2']);
    await clock.advance(500);
    const failure = await end;
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining(message) });
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on where nothing is known of an end', async () => {
    const clock = new FakeClock();
    const { seen } = await watching(clock, ann);
    for (let i = 0; i < 3; i += 1) {
      await expect.poll(() => clock.pendingTimers).toBe(1);
      await clock.advance(1_000);
      await expect.poll(() => seen).toHaveLength(i + 1);
    }
  });

  it('ends when its caller has become somebody with other rights, as soon as roles change', async () => {
    const clock = new FakeClock();
    const demoted: PrincipalIdentity = { ...ann, principal: { ...provider, role: 'tenant', visibleTenants: ['blue'] } };
    let found: PrincipalIdentity = { ...ann, principal: { ...provider } };
    const { identity, asked } = examined(() => found);
    const { end, listeners } = await watching(clock, identity);
    await expect.poll(() => listeners.size).toBe(1);
    for (const tell of listeners) tell();
    await expect.poll(asked).toBe(1);
    found = demoted;
    for (const tell of listeners) tell();
    expect(await end).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(/the rights of ann have changed .*: call again;.* list them before you resume a watch/),
      details: { reason: 'ACCESS_CHANGED' },
    });
    await expect.poll(() => [listeners.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('ends within a minute when its caller is no longer known or may not call any more', async () => {
    for (const [refusal, message] of [
      [new StatusError('unauthenticated', 'the token was revoked: get a new one'), 'revoked: get a new one; a watch can resume'],
      [new StatusError('permission_denied', 'ann has no role here'), 'have changed (ann has no role here): call again'],
    ] as const) {
      const clock = new FakeClock();
      const { end } = await watching(clock, examined(() => refusal).identity);
      await expect.poll(() => clock.pendingTimers).toBe(2);
      await clock.advance(60_000);
      expect(await end).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining(message) });
    }
  });

  it('goes on while nobody can tell whose the token is, and asks again', async () => {
    const clock = new FakeClock();
    const away = new StatusError('unavailable', 'the issuer cannot be asked');
    const { identity, asked } = examined(() => away);
    const { seen } = await watching(clock, identity);
    for (let minute = 1; minute <= 3; minute += 1) {
      await expect.poll(() => clock.pendingTimers).toBe(2);
      await clock.advance(60_000);
      await expect.poll(asked).toBe(minute);
    }
    expect(seen.length).toBeGreaterThan(0);
  });
});
