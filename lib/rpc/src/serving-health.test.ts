import { FakeClock } from '@quartermaster/kernel';
import { createChannel, createClient, createServer } from 'nice-grpc';
import { describe, expect, it } from 'vitest';
import { healthService } from './serving-health.ts';

describe('grpc.health.v1', () => {
  it('answers as the callback does, tells watchers of changes, and does not know other services', async () => {
    const clock = new FakeClock();
    let isServing = false;
    const health = healthService(() => isServing, ['a.B'], clock);
    const server = createServer();
    server.add(health.definition, health.implementation);
    const port = await server.listen('127.0.0.1:0');
    const channel = createChannel(`127.0.0.1:${port}`);
    const client = createClient(health.definition, channel);
    const [notServing, serving] = [2, 1];

    expect((await client.check({ service: 'a.B' })).status).toBe(notServing);
    await expect(client.check({ service: 'c.D' })).rejects.toThrow(/NOT_FOUND/);
    const watch = client.watch({ service: '' })[Symbol.asyncIterator]() as AsyncIterator<{ readonly status: number }, undefined>;
    expect((await watch.next()).value?.status).toBe(notServing);
    isServing = true;
    const [change] = await Promise.all([watch.next(), clock.advance(1000)]);
    expect(change.value?.status).toBe(serving);
    expect((await client.check({ service: '' })).status).toBe(serving);

    await watch.return?.();
    health.stop();
    channel.close();
    server.forceShutdown();
  });
});
