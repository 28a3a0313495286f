import { type BusOptions, connectNatsBus } from '@quartermaster/bus';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeBus } from './bus-contract.ts';
import type { BusServer } from './bus-fixture.ts';
import { hasNatsServer, NatsServer } from './nats-server.ts';

describe.skipIf(!hasNatsServer())('with nats-server', () => {
  let server: NatsServer;
  let started = 0;

  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server.stop());

  /** A prefix of its own is as good as a server of its own. */
  const start = async (serverOptions: BusOptions): Promise<BusServer> => {
    started += 1;
    const prefix = `test-${started}`;
    return {
      connect: (options) => connectNatsBus({ ...serverOptions, ...options, servers: server.url, prefix, ackWaitMs: 2_000 }),
      stop: async () => undefined,
    };
  };

  describeBus('on NATS', start);
});
