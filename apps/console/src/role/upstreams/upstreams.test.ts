import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { UpstreamAnswer, UpstreamFetch } from '../../server/upstream.ts';
import { upstreamTable } from './upstream-table.ts';
import { Upstreams } from './upstreams.ts';

const never = new AbortController().signal;

/** A role: that one. A number: that status. `hangs`: no answer until it is given up. A promise: what it says in the end. */
type Word = string | number | Promise<string>;

/** Upstreams, each of which says one thing of everybody. */
function upstreamsThatSay(words: { fulfillment?: Word; inventory?: Word; cluster?: Word; market?: Word }) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const fetchOf = (name: keyof typeof words): UpstreamFetch => {
    return async (_url, { signal }) => {
      asked.push(name);
      const word = await words[name];
      if (word === 'hangs') return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      const body = typeof word === 'string' ? { name: 'somebody', role: word } : { message: 'no' };
      return answerOf(typeof word === 'string' ? 200 : (word ?? 401), body);
    };
  };
  const rows = upstreamTable.filter(({ name }) => words[name] !== undefined);
  const places = rows.map((row) => ({ row, url: () => `http://${row.name}.example`, fetch: fetchOf(row.name) }));
  return { upstreams: new Upstreams(places, clock, silentLog), clock, asked, words };
}

function answerOf(status: number, body: object): UpstreamAnswer {
  const text = JSON.stringify(body);
  return {
    status,
    ok: status === 200,
    headers: new Headers(),
    body: null,
    json: async () => JSON.parse(text) as unknown,
    text: async () => text,
  };
}

describe('who may see pods and Events', () => {
  it.each([
    { fulfillment: 'admin', inventory: 401 },
    { fulfillment: 'provider', inventory: 401 },
    { fulfillment: 401, inventory: 'admin' },
    { fulfillment: 500, inventory: 'admin' },
    { inventory: 'admin' },
  ])('is who %j names', async (words) => {
    await expect(upstreamsThatSay(words).upstreams.requireClusterReader('t', never)).resolves.toBeUndefined();
  });

  it.each([
    [{ fulfillment: 'tenant', inventory: 401 }, 'permission_denied'],
    // It calls everybody so whom it knows, service accounts of the cluster among them.
    [{ fulfillment: 401, inventory: 'provider' }, 'permission_denied'],
    [{ fulfillment: 401, inventory: 'reader' }, 'permission_denied'],
    [{ inventory: 'provider' }, 'permission_denied'],
    // Who may promise parts of the cluster may not therefore see what runs there.
    [{ fulfillment: 401, inventory: 401, cluster: 'admin' }, 'permission_denied'],
    [{ fulfillment: 401, inventory: 401 }, 'unauthenticated'],
    [{ fulfillment: 503, inventory: 'reader' }, 'unavailable'],
  ] as const)('is not who %j names: %s', async (words, code) => {
    await expect(upstreamsThatSay(words).upstreams.requireClusterReader('t', never)).rejects.toMatchObject({ code });
  });
});

describe('who may read the logs of pods', () => {
  it.each([
    { fulfillment: 'admin', inventory: 401 },
    { fulfillment: 'provider', inventory: 'admin' },
  ])('is who %j names', async (words) => {
    await expect(upstreamsThatSay(words).upstreams.requireLogReader('t', never)).resolves.toBeUndefined();
  });

  it.each([
    [{ fulfillment: 'tenant', inventory: 'admin' }, 'permission_denied'],
    [{ fulfillment: 401, inventory: 'admin' }, 'permission_denied'],
    [{ inventory: 'admin' }, 'permission_denied'],
    [{ fulfillment: 503, inventory: 'admin' }, 'unavailable'],
  ] as const)('is not who %j names: %s', async (words, code) => {
    await expect(upstreamsThatSay(words).upstreams.requireLogReader('t', never)).rejects.toMatchObject({ code });
  });
});

describe('whose a token is', () => {
  it('the first upstream says that knows it, and all are asked at once', async () => {
    const { upstreams, asked } = upstreamsThatSay({ fulfillment: 'tenant', inventory: 'admin' });
    expect(await upstreams.callerOf('t', 'briefly', never)).toMatchObject({ role: 'tenant' });
    expect(asked).toEqual(['fulfillment', 'inventory']);
  });

  it.each([
    [{ fulfillment: 'tenant', inventory: 'reader' }, true],
    [{ fulfillment: 'provider', inventory: 401 }, true],
    [{ fulfillment: 'tenant', inventory: 401 }, false],
    [{ fulfillment: 'tenant', inventory: 503 }, false],
    // Whoever bids at a market is called a provider there.
    [{ fulfillment: 'tenant', market: 'provider' }, false],
    [{ market: 'provider' }, false],
    [{ market: 'admin' }, false],
  ] as const)('does not keep out of the inventory whom %j makes one of the staff: %s', async (words, isStaff) => {
    const { upstreams } = upstreamsThatSay(words);
    expect(await upstreams.callerOf('t', 'briefly', never)).toMatchObject({ is_staff: isStaff });
    const answers = await Promise.allSettled([upstreams.requireStaff('t', never)]);
    expect(answers.map(({ status }) => status)).toEqual([isStaff ? 'fulfilled' : 'rejected']);
  });

  it('is not held up for long by a service that hangs, and by one question in a while', async () => {
    const { upstreams, clock, asked } = upstreamsThatSay({ fulfillment: 'hangs', inventory: 'reader' });
    const asking = Promise.all([upstreams.callerOf('t', 'briefly', never), upstreams.callerOf('t', 'briefly', never)]);
    await clock.advance(2_000);
    expect((await asking).map(({ role }) => role)).toEqual(['reader', 'reader']);
    // Not a timer is moved any more: it is known by now.
    expect(await upstreams.callerOf('t', 'briefly', never)).toMatchObject({ role: 'reader' });
    expect(asked).toEqual(['fulfillment', 'inventory']);
  });

  it('is unknown, with the time since, while the only service that might know hangs', async () => {
    const { upstreams, clock, asked } = upstreamsThatSay({ fulfillment: 'hangs', inventory: 401 });
    const since = clock.now() + 2_000;
    const ask = () => upstreams.callerOf('t', 'briefly', never).catch((thrown: unknown) => thrown);
    const asking = Promise.all([ask(), ask()]);
    await clock.advance(2_000);
    const refusal = expect.objectContaining({ code: 'unavailable', details: { since } });
    expect(await asking).toEqual([refusal, refusal]);
    expect(asked).toEqual(['fulfillment', 'inventory']);
  });

  it('is waited for by who signs in while a service is only busy, and by nobody else', async () => {
    const { promise: busy, resolve: answer } = Promise.withResolvers<string>();
    const { upstreams, clock, asked } = upstreamsThatSay({ fulfillment: busy, inventory: 401 });
    const signingIn = upstreams.callerOf('t', 'patiently', never);
    const looking = upstreams.callerOf('t', 'briefly', never).catch((thrown: unknown) => thrown);
    await clock.advance(9_000);
    expect(await looking).toMatchObject({ code: 'unavailable', message: expect.stringContaining('within 2 s') });
    answer('admin');
    expect(await signingIn).toMatchObject({ role: 'admin' });
    expect(asked).toEqual(['fulfillment', 'inventory']);
  });

  it('is not waited for by who signs in where another service says it, or for ever', async () => {
    const known = upstreamsThatSay({ fulfillment: 'hangs', inventory: 'reader' });
    const signedIn = known.upstreams.callerOf('t', 'patiently', never);
    await known.clock.advance(2_000);
    expect(await signedIn).toMatchObject({ role: 'reader' });
    const unknown = upstreamsThatSay({ fulfillment: 'hangs', inventory: 401 });
    const since = unknown.clock.now() + 2_000;
    const refused = unknown.upstreams.callerOf('t', 'patiently', never).catch((thrown: unknown) => thrown);
    await unknown.clock.advance(10_000);
    expect(await refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('within 10 s'), details: { since } });
  });

  it('is nobody where the console has no service, and says which settings name one', async () => {
    const wayOut = 'set one of console-fulfillment-url, console-inventory-url, console-cluster-url, console-market-url';
    await expect(upstreamsThatSay({}).upstreams.callerOf('t', 'briefly', never)).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining(wayOut),
    });
  });

  it('is remembered for seconds, of each token by itself, and a refusal is not', async () => {
    const { upstreams, clock, asked, words } = upstreamsThatSay({ inventory: 'admin' });
    await upstreams.callerOf('t', 'briefly', never);
    await upstreams.callerOf('t', 'briefly', never);
    expect(asked).toHaveLength(1);
    words.inventory = 401;
    await expect(upstreams.callerOf('other', 'briefly', never)).rejects.toMatchObject({ code: 'unauthenticated' });
    await clock.advance(5_000);
    await expect(upstreams.callerOf('t', 'briefly', never)).rejects.toMatchObject({ code: 'unauthenticated' });
    words.inventory = 'admin';
    expect(await upstreams.callerOf('t', 'briefly', never)).toMatchObject({ role: 'admin' });
  });

  it('is not remembered of more tokens than fit', async () => {
    const { upstreams, asked } = upstreamsThatSay({ inventory: 'admin' });
    for (let count = 0; count <= 1_000; count += 1) await upstreams.callerOf(`t${count}`, 'briefly', never);
    asked.length = 0;
    await upstreams.callerOf('t0', 'briefly', never);
    expect(asked).toHaveLength(1);
  });
});
