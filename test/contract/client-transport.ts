import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { FakeClock } from '@quartermaster/kernel';
import { KubeClient, KubeTransport, kinds, staticCredentials } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { configMap, failureFrom, failureKind } from './client-fixtures.ts';
import { answerJson, answerStatus, localClient, startLocalServer } from './client-local-server.ts';
import type { ContractServer } from './contract-server.ts';

const ref = { namespace: 'default', name: 'settings' };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref };

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Time limits, cancellation, throttling and broken connections. */
export function describeTransport(server: () => ContractServer): void {
  describe('a time limit', () => {
    it('ends a request that is not answered', async () => {
      const silent = await startLocalServer(() => {});
      const failure = await failureFrom(localClient(silent.url).get(kinds.configMaps, ref, { timeoutMs: 30 }));
      expect(failure).toEqual({ kind: 'timeout', afterMs: 30 });
    });

    it('ends a request whose answer stops halfway', async () => {
      const halfway = await startLocalServer((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"kind":');
      });
      expect(await failureKind(localClient(halfway.url).get(kinds.configMaps, ref, { timeoutMs: 30 }))).toBe('timeout');
    });

    it('ends a request whose credentials do not come', async () => {
      const credentials = { ...staticCredentials({ server: 'http://127.0.0.1' }), session: () => new Promise<never>(() => {}) };
      const client = new KubeClient(new KubeTransport({ credentials }));
      expect(await failureKind(client.get(kinds.configMaps, ref, { timeoutMs: 30 }))).toBe('timeout');
    });

    it("is the transport's where a request sets none", async () => {
      const silent = await startLocalServer(() => {});
      const failure = await failureFrom(localClient(silent.url, { timeoutMs: 40 }).get(kinds.configMaps, ref));
      expect(failure).toEqual({ kind: 'timeout', afterMs: 40 });
    });

    it('leaves the client usable', async () => {
      let isSilent = true;
      const first = await startLocalServer((response) => {
        if (!isSilent) answerJson(response, 200, settings);
      });
      const client = localClient(first.url);
      // On a busy machine the time may be over before the request is sent.
      expect(await failureKind(client.get(kinds.configMaps, ref, { timeoutMs: 30 }))).toBe('timeout');
      isSilent = false;
      expect(await client.get(kinds.configMaps, ref)).toEqual(settings);
    });
  });

  describe('an aborted signal', () => {
    it('stops a request before it is sent, with its reason', async () => {
      const local = await startLocalServer((response) => answerJson(response, 200, settings));
      const reason = new Error('not needed');
      const request = localClient(local.url).get(kinds.configMaps, ref, { signal: AbortSignal.abort(reason) });
      await expect(request).rejects.toBe(reason);
      expect(local.requests).toEqual([]);
    });

    it('stops a request that is under way, with its reason', async () => {
      const controller = new AbortController();
      const reason = new Error('no longer needed');
      const silent = await startLocalServer(() => controller.abort(reason));
      await expect(localClient(silent.url).get(kinds.configMaps, ref, { signal: controller.signal })).rejects.toBe(reason);
    });

    it('stops the wait of a throttled request, with its reason', async () => {
      const clock = new FakeClock();
      const controller = new AbortController();
      const reason = new Error('no longer needed');
      const local = await startLocalServer((response) => answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '60' }));
      const request = localClient(local.url, { clock }).get(kinds.configMaps, ref, { signal: controller.signal });
      const outcome = request.catch((error: unknown) => error);
      await expect.poll(() => clock.pendingTimers).toBe(1);
      controller.abort(reason);
      expect(await outcome).toBe(reason);
      expect(clock.pendingTimers).toBe(0);
    });

    it('stops a request to the API server', async () => {
      const reason = new Error('not needed');
      const controller = new AbortController();
      const request = server().client.list(kinds.pods, { signal: controller.signal });
      controller.abort(reason);
      await expect(request).rejects.toBe(reason);
    });
  });

  describe('a connection', () => {
    it('that is refused is told with its errno', async () => {
      const client = localClient(`http://127.0.0.1:${await closedPort()}`);
      expect(await failureFrom(client.get(kinds.configMaps, ref))).toEqual({ kind: 'connection', errno: 'ECONNREFUSED' });
    });

    it('that breaks under a read is replaced once', async () => {
      const flaky = await startLocalServer((response, request, count) => {
        if (count === 1) request.socket.destroy();
        else answerJson(response, 200, settings);
      });
      expect(await localClient(flaky.url).get(kinds.configMaps, ref)).toEqual(settings);
      expect(flaky.requests).toHaveLength(2);
    });

    it('that breaks again under a read is a failure', async () => {
      const broken = await startLocalServer((_, request) => request.socket.destroy());
      expect(await failureKind(localClient(broken.url).get(kinds.configMaps, ref))).toBe('connection');
      expect(broken.requests).toHaveLength(2);
    });

    it('that breaks under a write is a failure, since the write may have happened', async () => {
      const broken = await startLocalServer((_, request) => request.socket.destroy());
      expect(await failureKind(localClient(broken.url).create(kinds.configMaps, configMap('default', 'settings')))).toBe('connection');
      expect(broken.requests).toHaveLength(1);
    });

    it('is kept and shared by many requests', async () => {
      const local = await startLocalServer((response) => answerJson(response, 200, settings));
      const client = localClient(local.url);
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(Array.from({ length: 4 }, () => client.get(kinds.configMaps, ref)));
      }
      expect(local.requests).toHaveLength(80);
      // A connection is free again a turn after its answer: a second set may open, but not one for each round.
      expect(local.connections).toBeLessThan(20);
    });
  });

  describe('an answer', () => {
    it('429 is repeated after the time that the server asked for', async () => {
      const clock = new FakeClock();
      const local = await startLocalServer((response, _, count) => {
        if (count === 1) answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '7' });
        else answerJson(response, 200, settings);
      });
      const request = localClient(local.url, { clock }).get(kinds.configMaps, ref);
      await expect.poll(() => clock.pendingTimers).toBe(1);
      await clock.advance(6_999);
      expect(local.requests).toHaveLength(1);
      await clock.advance(1);
      expect(await request).toEqual(settings);
      expect(local.requests).toHaveLength(2);
    });

    it('429 repeats writes too: the server did not take them', async () => {
      const clock = new FakeClock();
      const bodies: Promise<unknown>[] = [];
      const local = await startLocalServer((response, request, count) => {
        bodies.push(request.toArray().then((chunks) => JSON.parse(Buffer.concat(chunks as Buffer[]).toString('utf8')) as unknown));
        if (count === 1) answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '1' });
        else answerJson(response, 201, settings);
      });
      const request = localClient(local.url, { clock }).create(kinds.configMaps, configMap('default', 'settings', { a: '1' }));
      await expect.poll(() => clock.pendingTimers).toBe(1);
      await clock.advance(1_000);
      await request;
      const [first, second] = await Promise.all(bodies);
      expect(first).toMatchObject({ data: { a: '1' } });
      expect(second).toEqual(first);
    });

    it('429 that persists is a throttled failure with that time', async () => {
      const clock = new FakeClock();
      const local = await startLocalServer((response) => answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '2' }));
      const failure = failureFrom(localClient(local.url, { clock, maxThrottleRetries: 2 }).get(kinds.configMaps, ref));
      for (let wait = 1; wait <= 2; wait += 1) {
        await expect.poll(() => [local.requests.length, clock.pendingTimers]).toEqual([wait, 1]);
        await clock.advance(2_000);
      }
      expect(await failure).toEqual({ kind: 'throttled', retryAfterMs: 2_000 });
      expect(local.requests).toHaveLength(3);
    });

    it('429 that outlasts the time limit is told as throttled, not as a time-out', async () => {
      const local = await startLocalServer((response) => answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '60' }));
      const failure = await failureFrom(localClient(local.url).get(kinds.configMaps, ref, { timeoutMs: 2_000 }));
      expect(failure).toEqual({ kind: 'throttled', retryAfterMs: 60_000 });
    });

    it('503 is a server failure with the time that the server asked for, and is not repeated', async () => {
      const local = await startLocalServer((response) => answerStatus(response, 503, 'ServiceUnavailable', { 'retry-after': '5' }));
      const failure = await failureFrom(localClient(local.url).get(kinds.configMaps, ref));
      expect(failure).toEqual({ kind: 'server', status: 503, retryAfterMs: 5_000 });
      expect(local.requests).toHaveLength(1);
    });

    it('that is not from an API server says so', async () => {
      const web = await startLocalServer((response) => response.end('<html>Welcome</html>'));
      await expect(localClient(web.url).get(kinds.configMaps, ref)).rejects.toThrow('is this the URL of an API server?');
    });
  });

  describe('a guard', () => {
    const refusal = new Error('the lease is lost');
    const refuse = (): never => {
      throw refusal;
    };

    it('that throws stops the request before any byte is sent', async () => {
      const local = await startLocalServer((response) => answerJson(response, 200, settings));
      const client = localClient(local.url);
      await expect(client.create(kinds.configMaps, configMap('default', 'settings'), { guard: refuse })).rejects.toBe(refusal);
      await client.get(kinds.configMaps, ref);
      expect(local.requests).toEqual(['GET /api/v1/namespaces/default/configmaps/settings']);
    });

    it('that throws leaves nothing behind on the API server', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      await expect(client.create(kinds.configMaps, configMap(namespace, 'settings'), { guard: refuse })).rejects.toBe(refusal);
      expect(await client.find(kinds.configMaps, { namespace, name: 'settings' })).toBeUndefined();
    });

    it('runs only once the connection is there', async () => {
      const local = await startLocalServer((response) => answerJson(response, 200, settings));
      const seen: number[] = [];
      await localClient(local.url).get(kinds.configMaps, ref, { guard: () => seen.push(local.connections) });
      expect(seen).toEqual([1]);
    });

    it('runs again before a request is repeated', async () => {
      const clock = new FakeClock();
      let calls = 0;
      const guard = (): void => {
        calls += 1;
        if (calls > 1) throw refusal;
      };
      const local = await startLocalServer((response) => answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '9' }));
      const request = localClient(local.url, { clock }).get(kinds.configMaps, ref, { guard });
      const outcome = request.catch((error: unknown) => error);
      await expect.poll(() => clock.pendingTimers).toBe(1);
      await clock.advance(9_000);
      expect(await outcome).toBe(refusal);
      expect(local.requests).toHaveLength(1);
    });
  });
}
