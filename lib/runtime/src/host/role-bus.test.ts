import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateTopic } from '@quartermaster/bus';
import { systemClock } from '@quartermaster/kernel';
import { SharedParts } from '@quartermaster/service';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { busSettings } from '../declaration/bus-settings.ts';
import { openBus } from './role-bus.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'role-bus-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Speaks the beginning of the NATS protocol, and refuses whoever logs in: a client then tries its next server. */
async function refusingServer(onLogin: (login: unknown) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1048576,"headers":true}\r\n');
    socket.once('data', (data) => {
      onLogin(JSON.parse(/CONNECT (\{.*\})/.exec(String(data))?.[1] ?? 'null'));
      socket.end("-ERR 'Authorization Violation'\r\n");
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['pass', 'nats-password-file', { 'nats-user': 'u' }],
  ['auth_token', 'nats-token-file', {}],
] as const)('shows at each connection the %s that is in the %s by then', async (field, key, others) => {
  const file = join(folder, 'secret');
  writeFileSync(file, 'first\n');
  const shown: unknown[] = [];
  const onLogin = (login: unknown): void => {
    shown.push((login as Record<string, unknown>)[field]);
    writeFileSync(file, 'second\n');
  };
  const servers = [await refusingServer(onLogin), await refusingServer(onLogin)];
  const config = busSettings.schema.parse({ 'nats-servers': servers, [key]: file, ...others });
  const bus = openBus(host(), config)?.bus;
  await expect(bus?.publish(stateTopic('sample'), 1)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(shown.slice(0, 2)).toEqual(['first', 'second']);
});

it('names the file that cannot be read', async () => {
  const config = busSettings.schema.parse({ 'nats-servers': ['nats://127.0.0.1:1'], 'nats-token-file': join(folder, 'none') });
  const bus = openBus(host(), config)?.bus;
  await expect(bus?.publish(stateTopic('sample'), 1)).rejects.toThrow(`nats-token-file ${folder}/none cannot be read: create it`);
});

const host = () => ({
  shared: new SharedParts(),
  name: 'sample',
  keep: () => {},
  clock: systemClock,
  signal: new AbortController().signal,
});
