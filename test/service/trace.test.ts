import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryBus, eventTopic, jsonCodec } from '@quartermaster/bus';
import { installTraceContext, outgoingTraceHeaders, withIncomingTrace } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function serve(answer: RequestListener): Promise<{ readonly url: string; [Symbol.asyncDispose](): Promise<void> }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

describe('a trace', () => {
  it('goes from a request over the bus to the request that its handler makes', async () => {
    const uninstall = installTraceContext();
    const bus = createMemoryBus({ context: { outgoing: outgoingTraceHeaders, run: withIncomingTrace } });
    try {
      const topic = eventTopic('orders', { groups: ['billing'], codec: jsonCodec<string>() });
      const arrived = Promise.withResolvers<string | undefined>();
      await using last = await serve((request, response) => {
        arrived.resolve(request.headers['traceparent']?.toString());
        response.end();
      });
      await bus.subscribe(topic, async () => void (await fetch(last.url, { headers: outgoingTraceHeaders() })), { group: 'billing' });
      await using first = await serve((request, response) => {
        void withIncomingTrace(request.headers, () => bus.publish(topic, 'one')).then(() => response.end());
      });
      await fetch(first.url, { headers: { traceparent } });
      expect(await arrived.promise).toBe(traceparent);
    } finally {
      await bus.close();
      uninstall();
    }
  });
});
