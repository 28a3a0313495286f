import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StatusError } from '@quartermaster/kernel';
import { defineConfig, defineRole, type ProcessHost, selfSignedTls } from '@quartermaster/service';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { declare as declareRoles } from '../commands/local/role.ts';
import { runRole } from './run-role.ts';

const config = defineConfig({ 'greeting-name': z.string().default('world').describe('Whom to greet.') });
const other = defineRole({
  name: 'other',
  summary: 'Does something else.',
  config: defineConfig({ 'other-key': z.string().optional().describe('Of another role.') }),
  start: () => Promise.resolve({ stop: () => {} }),
});

function scripted() {
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const stream = (name: 'out' | 'err') => ({ write: (line: string) => (written[name] += line) });
  const host: ProcessHost = { on: () => {}, off: () => {}, exit: (code) => void exits.push(code) };
  return { written, exits, host, output: { out: stream('out'), err: stream('err') } };
}

const failing = (greeted: string[]) =>
  defineRole({
    name: 'greeter',
    summary: 'Greets once and fails.',
    config,
    start: ({ config: { 'greeting-name': name } }) => {
      greeted.push(name);
      return Promise.reject(new StatusError('failed_precondition', 'has no voice: give it one'));
    },
  });

describe('runRole', () => {
  it('gives a role its settings, and ends with a line and 1 when it cannot start', async () => {
    const greeted: string[] = [];
    const role = failing(greeted);
    const { written, exits, host, output } = scripted();
    const environment = { QUARTERMASTER_OTHER_KEY: 'x' };
    const args = ['--greeting-name', 'Ada', '--log-level=debug'];
    expect(await runRole({ role, known: [role, other], args, environment, host }, output)).toBe(1);
    expect(exits).toEqual([1]);
    expect(greeted).toEqual(['Ada']);
    expect(written.out).toContain('"msg":"admin server listens"');
    expect(written.err).toBe('quartermaster: role greeter failed: has no voice: give it one\n');
  });

  it('serves probes beyond loopback over TLS with one word, and metrics to nobody whom it does not know', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'role-admin-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const tls = await selfSignedTls({ commonName: 'admin' });
    await tls.close();
    const { cert, key } = tls.serverOptions();
    const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    await writeFile(certFile, String(cert));
    await writeFile(keyFile, String(key));
    const { written, host, output } = scripted();
    const ends: (() => void)[] = [];
    const ending: ProcessHost = { ...host, on: (event, listener) => void (event === 'SIGTERM' && ends.push(() => listener('SIGTERM'))) };
    const args = ['--admin-host=127.1', `--admin-tls-cert-file=${certFile}`, `--admin-tls-key-file=${keyFile}`];
    const running = runRole({ role: other, known: [other], args, environment: {}, host: ending }, output);
    const port = await vi.waitUntil(() => /"url":"https:\/\/127\.1:(\d+)"/.exec(written.out)?.[1], { timeout: 20_000 });
    const ask = (path: string): Promise<readonly [number | undefined, string]> =>
      new Promise((resolve, reject) => {
        get(`https://127.0.0.1:${port}${path}`, { agent: false, rejectUnauthorized: false }, (response) => {
          text(response).then((body) => resolve([response.statusCode, body]), reject);
        }).once('error', reject);
      });
    await expect.poll(() => ask('/readyz')).toEqual([200, 'degraded\n']);
    expect(await ask('/metrics')).toEqual([401, expect.stringContaining('not authenticated: send the header')]);
    for (const end of ends) end();
    expect(await running).toBe(0);
  });

  it('refuses an admin server beyond loopback without TLS', async () => {
    const { host, output } = scripted();
    const running = runRole({ role: other, known: [other], args: ['--admin-host=0.0.0.0'], environment: {}, host }, output);
    await expect(running).rejects.toThrow('is beyond loopback, which needs TLS: give admin-tls-cert-file and admin-tls-key-file');
  });

  it('refuses a setting that no role has and names the nearest', async () => {
    const role = failing([]);
    const { host, output } = scripted();
    const running = runRole({ role, known: [role], args: ['--greting-name', 'Ada'], environment: {}, host }, output);
    await expect(running).rejects.toThrow('did you mean --greeting-name');
  });
});

describe('declareRoles', () => {
  it('makes a command below its family of each role', () => {
    const command = new Command('operator');
    const [first, second] = [failing([]), other].map((role) => ({ ...role, name: `operator-${role.name}` }));
    if (first === undefined || second === undefined) throw new Error('there are two');
    declareRoles(command, { output: scripted().output, exitWith: () => {} }, [first, second]);
    expect(command.commands.map((each) => [each.name(), each.description()])).toEqual([
      ['greeter', 'Greets once and fails.'],
      ['other', 'Does something else.'],
    ]);
  });
});
