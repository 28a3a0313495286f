import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@quartermaster/kernel';
import { selfSignedTls } from '@quartermaster/service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectOptions, connectCluster } from './connect-cluster.ts';

let directory: string;
let kubeconfig: string;
let port: number;
let stopping: AbortController;
let waits: string[];
let clock: FakeClock;
let status: number;
const server = createServer((_request, response) => response.writeHead(status).end(JSON.stringify({ gitVersion: 'v1.2.3' })));

const listen = async (at: number): Promise<void> => {
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
};

const close = async (): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  await closed;
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'connect-cluster-'));
  kubeconfig = join(directory, 'kubeconfig');
  // A port at which nobody listens now.
  await listen(0);
  ({ port } = server.address() as AddressInfo);
  await close();
  status = 200;
  writeKubeconfig({ server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true });
  stopping = new AbortController();
  waits = [];
  clock = new FakeClock();
});

function writeKubeconfig(cluster: Readonly<Record<string, unknown>>): void {
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const config = { clusters: [{ name: 'c', cluster }], contexts: [context], users: [{ name: 'u', user: {} }], 'current-context': 'c' };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
}

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const connect = (isOurs: ConnectOptions['isOurs']) =>
  connectCluster({ kubeconfig, isOurs, clock, onWait: (text) => void waits.push(text) }, stopping.signal);

describe('the first answer of a cluster', () => {
  it('is waited for, with a word after each try, while the process that plays the cluster lives', async () => {
    const connecting = connect(true);
    const because = `get server version: no answer from the API server (ECONNREFUSED): connect ECONNREFUSED 127.0.0.1:${port}`;
    await expect.poll(() => waits).toEqual([`busy for 0 s (${because})`]);
    await clock.advance(1_000);
    await expect.poll(() => waits).toEqual([`busy for 0 s (${because})`, `busy for 1 s (${because})`]);
    status = 503;
    await listen(port);
    await clock.advance(1_000);
    await expect.poll(() => waits.slice(2)).toEqual(['busy for 2 s (get server version: HTTP status 503)']);
    status = 200;
    await clock.advance(1_000);
    const { client, ...facts } = await connecting;
    expect(facts).toEqual({ server: `http://127.0.0.1:${port}`, version: 'v1.2.3' });
    await client.close();
    await close();
  });

  it('is waited for no longer than that process lives', async () => {
    const connecting = connect(true);
    await expect.poll(() => waits).toHaveLength(1);
    stopping.abort(new Error('the process of the simulated cluster ended by itself'));
    await expect(connecting).rejects.toThrow('the process of the simulated cluster ended by itself');
  });

  it('ends the wait for our own when it is a refusal, which no waiting mends', async () => {
    status = 401;
    await listen(port);
    await expect(connect(true)).rejects.toThrow(
      /^the cluster that was started refuses .*kubeconfig \(get server version: .*401.*\): .*--reset/,
    );
    expect(waits).toEqual([]);
    await close();
  });

  it('ends the wait for our own when its certificate is not the one that the kubeconfig trusts', async () => {
    const certificates = await selfSignedTls({ commonName: 'other' });
    const other = createTlsServer(certificates.serverOptions());
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    writeKubeconfig({ server: `https://127.0.0.1:${(other.address() as AddressInfo).port}` });
    await expect(connect(true)).rejects.toThrow(/^the cluster that was started refuses .*kubeconfig \(.*CERT.*\): .*--reset/);
    expect(waits).toEqual([]);
    other.close();
    await certificates.close();
  });

  it('is asked of a given cluster once, and what to do is said when there is none', async () => {
    await expect(connect(false)).rejects.toThrow(/^the cluster of .*kubeconfig does not answer \(.*\): see whether `kubectl /);
    expect(waits).toEqual([]);
  });
});
