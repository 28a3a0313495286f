import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoginFolder } from '../fulfillment/test/login-folder.ts';
import { run } from '../fulfillment/test/run-program.ts';

const executable = fileURLToPath(new URL('../../bin/quartermaster.mjs', import.meta.url));

/** Answers completions, and only notes what else it is asked to do. */
const noted = `#!/bin/sh
case $1 in
  completion | __complete) exec "${process.execPath}" "${executable}" "$@" ;;
  *) echo "$*" >>ran.txt ;;
esac
`;

const world = `
kind: HostClass
id: large
metadata: { name: large }
---
kind: ClusterTemplate
id: small
title: Small
node_sets: { workers: { host_class: large, size: 1 }, gateways: { host_class: large, size: 1 } }
---
{ kind: Host, metadata: { name: gpu-1 }, spec: { class: large } }
---
{ kind: Host, metadata: { name: gpu-2 }, spec: { class: large } }
---
{ kind: Cluster, metadata: { name: blue, tenants: [acme] }, spec: { template: small } }
`;

/** A person at a terminal: bash with readline on a pseudo-terminal, and keys, Tab among them. */
describe('completion in bash', { timeout: 120_000 }, () => {
  let service: TestFulfillment;
  let logins: LoginFolder;

  beforeAll(async () => {
    service = await startTestFulfillment();
    logins = LoginFolder.make();
    logins.use();
    chmodSync(logins.file('quartermaster', noted), 0o755);
    await logins.add(service, 'admin', { name: 'root', role: 'admin' });
    const { exitCode, err } = await run('apply', '-f', logins.file('world.yaml', world));
    if (exitCode !== 0) throw new Error(err);
  });
  beforeEach(() => logins.use());
  afterAll(async () => {
    vi.unstubAllEnvs();
    await service.stop();
    logins.remove();
  });

  /** The commands that bash ran once these keys were pressed. A server may take as long as it needs. */
  const typed = (...lines: readonly string[]): Promise<readonly string[]> =>
    typedWith({ QUARTERMASTER_TEST_COMPLETION_MS: '60000' }, lines);

  async function typedWith(given: NodeJS.ProcessEnv, lines: readonly string[]): Promise<readonly string[]> {
    const env = { ...process.env, ...given, PATH: `${logins.path}:${process.env['PATH'] ?? ''}`, TERM: 'dumb', HISTFILE: '' };
    const shell = spawn('script', ['-qefc', 'bash --norc --noprofile -i', '/dev/null'], { cwd: logins.path, env, stdio: 'pipe' });
    const keys = ['rm -f ran.txt', 'source <(quartermaster completion bash)', ...lines, 'exit'];
    shell.stdin.end(keys.map((line) => `${line}\n`).join(''));
    const [seen] = await Promise.all([text(shell.stdout), once(shell, 'close')]);
    try {
      return readFileSync(`${logins.path}/ran.txt`, 'utf8').trimEnd().split('\n');
    } catch (cause) {
      throw new Error(`bash ran nothing:\n${seen}`, { cause });
    }
  }

  it('completes commands, kinds, flags, values, files and the names of objects', async () => {
    expect(
      await typed(
        'quartermaster des\thost gp\t1\t',
        'quartermaster get cluster-t\t--include\t',
        'quartermaster get hosts --output=js\t',
        'quartermaster cla\tbl\twor\t--dry\t',
        'quartermaster create cluster green --templ\tsm\t',
        'quartermaster apply -f wor\t',
        'quartermaster get hosts --context ad\t',
      ),
    ).toEqual([
      'describe host gpu-1',
      'get cluster-templates --include-deleted',
      'get hosts --output=json',
      'claim blue workers --dry-run',
      'create cluster green --template small',
      'apply -f world.yaml',
      'get hosts --context admin',
    ]);
  });

  it('asks the server that the line names, and leaves the line alone when that is away', async () => {
    const { grpcAddress } = service;
    const there = `describe host-class --server http://${grpcAddress} --token-file admin.token la`;
    expect(await typed(`quartermaster ${there}\t`)).toEqual([`${there}rge`]);
    const away = 'describe host-class --server 127.0.0.1:1 la';
    expect(await typedWith({}, [`quartermaster ${away}\t`])).toEqual([away]);
  });
});
