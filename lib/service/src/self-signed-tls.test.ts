import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { FakeClock } from '@quartermaster/kernel';
import { expect, it, onTestFinished } from 'vitest';
import { selfSignedTls } from './self-signed-tls.ts';

const dayMs = 24 * 60 * 60 * 1000;

it('shows the certificate whose fingerprint it tells, and another one with another key long before the first ends', async () => {
  const clock = new FakeClock(Date.now());
  const tls = await selfSignedTls({ commonName: 'agent', clock });
  onTestFinished(() => tls.close());
  const server = createServer(tls.serverOptions());
  tls.keep(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const shown = () =>
    new Promise<{ readonly fingerprint: string | undefined; readonly key: unknown }>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        const certificate = socket.getPeerX509Certificate();
        resolve({ fingerprint: certificate?.fingerprint256, key: certificate?.publicKey.export({ format: 'jwk' }) });
        socket.destroy();
      });
      socket.once('error', reject);
    });
  const first = { ...tls.status(), ...(await shown()) };
  expect(first.fingerprint).toBe(tls.status().fingerprint);
  expect(first.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(first.notAfter.getTime() - clock.now()).toBeGreaterThan(6 * dayMs);
  await clock.advance(2 * dayMs);
  await expect.poll(() => tls.status().fingerprint).not.toBe(first.fingerprint);
  const second = await shown();
  expect(second.fingerprint).toBe(tls.status().fingerprint);
  expect(second.key).not.toEqual(first.key);
  expect(tls.check()).toEqual({ state: 'ok' });
  await tls.close();
  expect(clock.pendingTimers).toBe(0);
});
