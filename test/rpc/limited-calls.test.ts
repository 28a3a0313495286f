import { Client, credentials, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { InventoryService } from '@quartermaster/api/inventory';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import {
  type Authenticate,
  CallLimits,
  type FinishedCall,
  openRpcChannel,
  type RestServer,
  type RpcServer,
  startRestServer,
  startRpcServer,
} from '@quartermaster/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubService } from './inventory-stub.ts';

describe('calls that are limited', () => {
  let grpc: RpcServer;
  let rest: RestServer;
  let clock: FakeClock;
  const asked: (string | undefined)[] = [];
  const calls: FinishedCall[] = [];

  const authenticate: Authenticate = ({ token, known }) => {
    asked.push(token);
    if (token === 'ann' || token === 'bob') return { kind: 'token', name: token, groups: [] };
    if (token === 'forbidden') {
      known?.({ kind: 'token', name: 'eve', groups: [] });
      throw new StatusError('permission_denied', 'eve may not call this');
    }
    if (token === 'undecided') throw new StatusError('unavailable', 'nobody can say whose it is');
    throw new StatusError('unauthenticated', 'show a token');
  };

  beforeEach(async () => {
    clock = new FakeClock();
    const service = stubService({
      async *watchInventory() {
        for (let sent = 0; sent < 20; sent += 1) yield { event: { case: 'heartbeat', value: {} } };
      },
    });
    // Four calls at once, and one a second.
    const limits = new CallLimits({ perSecond: 1, setting: 'sample-requests-per-second', clock });
    const options = { services: [service], authenticate, limits, onCall: (call: FinishedCall) => void calls.push(call) };
    [grpc, rest] = [await startRpcServer(options), await startRestServer(options)];
  });

  afterEach(async () => {
    await Promise.all([grpc.stop(0), rest.stop(0)]);
    asked.length = 0;
    calls.length = 0;
  });

  const get = async (token: string): Promise<Response> =>
    await fetch(`${rest.url}/v1/status`, { headers: { authorization: `Bearer ${token}` } });

  async function withChannel<T>(token: string, work: (client: ReturnType<typeof clientOf>) => Promise<T>): Promise<T> {
    const channel = openRpcChannel({ address: grpc.address, token: () => token, tries: 1 });
    return await work(clientOf(channel)).finally(() => channel.close());
  }
  const clientOf = (channel: ReturnType<typeof openRpcChannel>) => channel.client(InventoryService);

  it('are counted over all servers, a stream once, and refused with when to come back', async () => {
    await withChannel('ann', async (client) => {
      let messages = 0;
      for await (const _message of client.watchInventory({})) messages += 1;
      expect(messages).toBe(20);
      await client.getStatus({});
      expect((await get('ann')).status).toBe(200);
      await client.getStatus({});
      await expect(client.getStatus({})).rejects.toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 1000 } });
      await expect(client.watchInventory({}).next()).rejects.toMatchObject({ code: 'resource_exhausted' });
    });
    const refused = await get('ann');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringMatching(/^ann makes more than 1 requests per second: .*sample-requests-per-second raised$/),
    });
    expect((await get('bob')).status).toBe(200);
    await clock.advance(1_000);
    expect((await get('ann')).status).toBe(200);
    expect(calls.filter(({ outcome }) => outcome === 'resource_exhausted')).toHaveLength(3);
  });

  it('say in the trailer of gRPC when to come back, for clients of others', async () => {
    const client = new Client(grpc.address, credentials.createInsecure());
    const call = (): Promise<Metadata | undefined> =>
      new Promise((resolve, reject) => {
        const empty = (): Buffer => Buffer.alloc(0);
        client.makeUnaryRequest('/quartermaster.inventory.v1.InventoryService/GetStatus', empty, empty, {}, (error: ServiceError | null) =>
          error?.code === status.RESOURCE_EXHAUSTED
            ? resolve(error.metadata)
            : error?.code === status.UNAUTHENTICATED
              ? resolve(undefined)
              : reject(error),
        );
      });
    let trailer: Metadata | undefined;
    for (let tries = 0; tries < 10 && trailer === undefined; tries += 1) trailer = await call();
    expect(trailer?.get('retry-after')).toEqual(['10']);
    client.close();
  });

  it('count for a known caller where it may not make them, and keep nobody out who comes from the same address', async () => {
    const statuses: number[] = [];
    for (let call = 0; call < 5; call += 1) statuses.push((await get('forbidden')).status);
    expect(statuses).toEqual([403, 403, 403, 403, 429]);
    expect(calls.map(({ identity }) => identity?.name)).toEqual(Array.from({ length: 5 }, () => 'eve'));
    expect((await get('bob')).status).toBe(200);
  });

  it('of whoever guesses tokens are turned away before anybody looks at them', async () => {
    expect((await get('ann')).status).toBe(200);
    const statuses: number[] = [];
    for (let guess = 0; guess < 5; guess += 1) statuses.push((await get(`guess-${guess}`)).status);
    expect(statuses).toContain(401);
    expect(statuses.at(-1)).toBe(429);
    asked.length = 0;
    expect((await get('another-guess')).status).toBe(429);
    expect(asked).toEqual([]);
    // Those who were known keep their way in.
    expect((await get('ann')).status).toBe(200);
  });

  it('count where nobody can say whose they are, and for guesses that come at the same time', async () => {
    expect((await get('undecided')).status).toBe(503);
    expect((await get('undecided')).status).toBe(429);
    await clock.advance(3_600_000);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, guess) => get(`guess-${guess}`)));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([401, ...Array.from({ length: 19 }, () => 429)]);
  });
});
