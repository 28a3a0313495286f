import { Events } from '@quartermaster/api/private';
import { FakeClock, StatusError, sleep } from '@quartermaster/kernel';
import { type Authenticate, openRpcChannel, serve, startRpcServer } from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';
import { endWithToken } from './end-with-token.ts';
import type { PrincipalIdentity } from './principal.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A watch that answers every second, of a caller whose token ends then. */
async function watching(clock: FakeClock, endsAt: number | undefined) {
  const watch = serve(Events, {
    async *watch(_request, { signal }) {
      for (let i = 1; ; i += 1) {
        await sleep(clock, 1_000, signal);
        yield { token: String(i) };
      }
    },
  });
  const principal = {
    name: 'ann',
    role: 'provider' as const,
    visibleTenants: 'all' as const,
    assignableTenants: 'all' as const,
    defaultTenants: [],
    mayReadSecrets: false,
    mayWriteHosts: true,
  };
  const identity: PrincipalIdentity = { kind: 'token', name: 'ann', groups: [], principal, ...(endsAt === undefined ? {} : { endsAt }) };
  const authenticate: Authenticate = () => identity;
  const server = await startRpcServer({ services: endWithToken([watch], clock), authenticate });
  ends.push(() => server.stop(1_000));
  const channel = openRpcChannel({ address: server.address });
  ends.push(() => channel.close());
  const seen: string[] = [];
  const stop = new AbortController();
  const end = (async () => {
    for await (const { token } of channel.client(Events).watch({}, { signal: stop.signal })) seen.push(token);
  })().catch((thrown: unknown) => thrown);
  ends.push(() => stop.abort(new Error('the test is over')));
  return { seen, end };
}

describe('a stream', () => {
  it('ends with the token that opened it', async () => {
    const clock = new FakeClock();
    const { seen, end } = await watching(clock, clock.now() + 2_500);
    await expect.poll(() => clock.pendingTimers).toBe(2);
    await clock.advance(1_000);
    await expect.poll(() => seen).toEqual(['1']);
    await expect.poll(() => clock.pendingTimers).toBe(2);
    await clock.advance(1_000);
    await expect.poll(() => seen).toEqual(['1', '2']);
    await clock.advance(500);
    const failure = await end;
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('has expired: get a new one') });
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on where nothing is known of an end', async () => {
    const clock = new FakeClock();
    const { seen } = await watching(clock, undefined);
    for (let i = 0; i < 3; i += 1) {
      await expect.poll(() => clock.pendingTimers).toBe(1);
      await clock.advance(1_000);
      await expect.poll(() => seen).toHaveLength(i + 1);
    }
  });
});
