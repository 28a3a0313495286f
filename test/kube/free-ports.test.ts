import { once } from 'node:events';
import { createServer } from 'node:net';
import { seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { freePorts } from './free-ports.ts';

describe('freePorts', () => {
  it('gives different ports below those of outgoing connections', async () => {
    const ports = await freePorts(20, seededRandom(1));
    expect(new Set(ports).size).toBe(20);
    for (const port of ports) {
      expect(port).toBeGreaterThanOrEqual(15_000);
      expect(port).toBeLessThan(32_768);
    }
  });

  it('passes over a port that somebody listens on', async () => {
    const [taken = 0] = await freePorts(1, seededRandom(2));
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    try {
      const [other] = await freePorts(1, seededRandom(2));
      expect(other).not.toBe(taken);
    } finally {
      server.close();
      await once(server, 'close');
    }
  });
});
