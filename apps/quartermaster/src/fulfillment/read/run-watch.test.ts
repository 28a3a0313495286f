import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Events, EventType } from '@quartermaster/api/private';
import { type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeProcessLock } from '../../run/process-lock.ts';
import { removeRunFile, writeRunFile } from '../../run/run-file.ts';
import { watchEvents } from './run-watch.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'quartermaster-watch-'));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** Tells of one host, and then of nothing until it stops. */
async function startEvents(id: string): Promise<RpcServer> {
  const events = serve(Events, {
    async *watch(_request, { signal }) {
      yield { token: id, event: { type: EventType.OBJECT_CREATED, payload: { case: 'host', value: { id } } } };
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  });
  return await startRpcServer({ services: [events] });
}

function run(grpc: string): void {
  const tokenFile = join(dataDir, 'token');
  writeFileSync(tokenFile, 'a-token');
  const url = 'http://127.0.0.1:1';
  const facts = { pid: process.pid, version: '1', console: url, admin: url, kubeconfig: 'none', kubernetes: 'simulated' } as const;
  writeRunFile(dataDir, { ...facts, roles: { 'service-fulfillment': { grpc, rest: url, tokenFile } }, tenants: [] });
}

it('goes on with an `up` that was stopped for a while and is somewhere else since', async () => {
  const lock = takeProcessLock(dataDir);
  const texts = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    write: (text: string) => {
      texts[name] += text;
      return true;
    },
  });
  const until = (name: 'out' | 'err', text: string) => vi.waitUntil(() => texts[name].includes(text), { timeout: 30_000 });
  const ending = new AbortController();
  const first = await startEvents('before');
  run(first.address);
  const watching = watchEvents([], { dataDir, private: true, output: 'table' }, { out: stream('out'), err: stream('err') }, ending.signal);
  await until('out', 'host/before');
  removeRunFile(dataDir);
  await first.stop(0);
  await until('err', 'still starting');
  const second = await startEvents('after');
  run(second.address);
  await until('out', 'host/after');
  ending.abort();
  await watching;
  expect(texts.out.split('\n').filter((line) => line !== '')).toHaveLength(2);
  await second.stop(0);
  lock.release();
}, 60_000);
