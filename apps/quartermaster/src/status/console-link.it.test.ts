import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureConsoleBuilt } from '@quartermaster/console';
import { consoleRole } from '@quartermaster/console/roles';
import { silentLog } from '@quartermaster/kernel';
import { startRole } from '@quartermaster/runtime/testing';
import { expect, it, onTestFinished } from 'vitest';
import { takeProcessLock } from '../run/process-lock.ts';
import { writeRunFile } from '../run/run-file.ts';
import { printConsoleLink } from './console-link.ts';

const token = 'of-the-administrator';

/** Knows one token. */
async function startService(): Promise<string> {
  const server = createServer(({ headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${token}`;
    const body = isKnown ? { name: 'admin', role: 'admin' } : { message: 'nobody' };
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('prints a link that signs its opener in once, as the administrator of the data directory', async () => {
  await ensureConsoleBuilt({ log: silentLog });
  const directory = await mkdtemp(join(tmpdir(), 'console-link-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const lock = takeProcessLock(directory);
  onTestFinished(() => lock.release());
  const start = async (ways: string): Promise<string> => {
    const role = await startRole(consoleRole, { args: [`--console-fulfillment-url=${await startService()}`, `--console-sign-in=${ways}`] });
    onTestFinished(() => role.stop());
    return (role.status()?.detail as { readonly http: string } | undefined)?.http ?? '';
  };
  const tokenFile = join(directory, 'token');
  const runWith = (console: string): void =>
    writeRunFile(directory, {
      pid: process.pid,
      version: '0.1.0',
      console,
      admin: console,
      kubeconfig: '',
      kubernetes: 'simulated',
      roles: { 'service-fulfillment': { grpc: '127.0.0.1:1', rest: console, tokenFile } },
      startedAt: 0,
      server: 'https://127.0.0.1:1',
      parts: [],
      tenants: [],
    });
  const print = async (): Promise<string> => {
    let out = '';
    await printConsoleLink({ directory, json: false }, { out: { write: (text) => (out += text) }, err: { write: () => true } });
    return out.trim();
  };

  const url = await start('link');
  runWith(url);
  await writeFile(tokenFile, `${token}\n`);
  const link = await print();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
  const open = async (): Promise<Response> =>
    await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { origin: url, 'x-quartermaster-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ code: new URL(link).hash.slice('#code='.length) }),
    });
  expect(await (await open()).json()).toMatchObject({ kind: 'signed-in', way: 'link', caller: { name: 'admin' } });
  expect((await open()).status).toBe(401);

  await writeFile(tokenFile, 'of-somebody-else');
  await expect(print()).rejects.toThrow('does not take the token');
  await writeFile(tokenFile, token);
  runWith(await start('token'));
  await expect(print()).rejects.toThrow('console-sign-in does not list it');
});
