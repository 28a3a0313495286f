import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, FakeClock } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostMachine } from './host-machine.ts';
import type { FolderSize } from './machine-reader.ts';

describe('HostMachine', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'quartermaster-machine-'));
    await mkdir(join(root, 'sys/devices/card'), { recursive: true });
    await mkdir(join(root, 'sys/class'), { recursive: true });
    await writeFile(join(root, 'sys/devices/card/vendor'), '0x10de\n');
    await symlink('../devices/card', join(root, 'sys/class/card'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const codeWhen = async (work: Promise<unknown>): Promise<string> =>
    await work.then(
      () => 'no failure',
      (error: unknown) => codeOf(error),
    );

  /** A tool has long enough to start on a busy machine, unless it is to take too long. */
  const script = async (name: string, text: string, toolTimeoutMs = 20_000): Promise<HostMachine> => {
    await mkdir(join(root, 'tools'), { recursive: true });
    await writeFile(join(root, 'tools', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return new HostMachine({ searchPath: join(root, 'tools'), toolTimeoutMs, toolGoneMs: 100, maxToolOutputBytes: 1000 });
  };

  it('reads files, folders and links below its root', async () => {
    const machine = new HostMachine({ root });
    expect(await machine.readFile('/sys/class/card/vendor')).toBe('0x10de\n');
    expect(await machine.readDirectory('/sys/class/card')).toEqual(['vendor']);
    expect(await machine.readLink('/sys/class/card')).toBe('../devices/card');
    expect(await machine.stat('/sys/class/card')).toMatchObject({ kind: 'link' });
    expect(await machine.stat('/sys/devices/card')).toMatchObject({ kind: 'directory' });
    expect(Buffer.from(await machine.readBytes('/sys/devices/card/vendor')).toString()).toBe('0x10de\n');
  });

  it('does not follow a link out of its root', async () => {
    await symlink('/etc', join(root, 'absolute'));
    await symlink('../../../../../../../../../../etc', join(root, 'relative'));
    const machine = new HostMachine({ root });
    expect(await codeWhen(machine.readFile('/absolute/passwd'))).toBe('not_found');
    expect(await codeWhen(machine.readFile('/relative/passwd'))).toBe('not_found');
    expect(await codeWhen(machine.readFile('/../../../../../../etc/passwd'))).toBe('not_found');
  });

  it('tells what is not there from what cannot be read', async () => {
    await writeFile(join(root, 'huge'), 'x'.repeat(200_000));
    const machine = new HostMachine({ root, maxFileBytes: 100_000 });
    expect(await codeWhen(machine.readFile('/nowhere'))).toBe('not_found');
    expect(await codeWhen(machine.readFile('/sys'))).toBe('not_found');
    expect(await codeWhen(machine.readFile('/sys/devices/card/vendor/deeper'))).toBe('not_found');
    await expect(machine.readFile('/huge')).rejects.toThrow('/huge has more than 100000 bytes');
  });

  it('neither waits for a pipe nor reads a device', async () => {
    execFileSync('/usr/bin/mkfifo', [join(root, 'pipe')]);
    expect(await codeWhen(new HostMachine({ root }).readFile('/pipe'))).toBe('not_found');
    expect(await codeWhen(new HostMachine().readFile('/dev/zero'))).toBe('not_found');
  });

  it('reads files of /proc, whose size says nothing', async () => {
    expect(await new HostMachine().readFile('/proc/meminfo')).toContain('MemTotal');
  });

  it('counts what lies in a folder, and what of the filesystem is used', async () => {
    const machine = new HostMachine({ root });
    await mkdir(join(root, 'volumes/pvc-1'), { recursive: true });
    await writeFile(join(root, 'volumes/pvc-1/data'), Buffer.alloc(256 * 1024, 1));
    expect((await machine.folderSizeOf('/volumes')).bytes).toBeGreaterThanOrEqual(256 * 1024);
    expect(await codeWhen(machine.folderSizeOf('/none'))).toBe('not_found');
    const full = new HostMachine({ root, folderSizes: { of: async () => undefined, end: () => {} } });
    await expect(full.folderSizeOf('/volumes')).rejects.toThrow('/volumes has too much in it to be counted, or cannot be read');
    const { sizeBytes, usedBytes = -1 } = await machine.filesystemOf('/');
    expect(usedBytes).toBeGreaterThan(0);
    expect(usedBytes).toBeLessThanOrEqual(sizeBytes);
  });

  it('measures the filesystem of a folder while what lies in it is still being counted', async () => {
    const clock = new FakeClock();
    const { promise, resolve } = Promise.withResolvers<FolderSize>();
    const machine = new HostMachine({ root, clock, timeoutMs: 10_000, folderSizes: { of: () => promise, end: () => {} } });
    const counting = codeWhen(machine.folderSizeOf('/sys'));
    await clock.advance(10_000);
    expect(await counting).toBe('unavailable');
    expect(await machine.filesystemOf('/sys')).toMatchObject({ device: (await machine.filesystemOf('/')).device });
    resolve({ bytes: 1 });
  });

  it('measures filesystems and names those that are one alike', async () => {
    const machine = new HostMachine({ root });
    const [all, part] = await Promise.all([machine.filesystemOf('/'), machine.filesystemOf('/sys')]);
    expect(all.sizeBytes).toBeGreaterThan(0);
    expect(all.device).toMatch(/^\d+:\d+$/);
    expect([part.sizeBytes, part.device]).toEqual([all.sizeBytes, all.device]);
  });

  it('runs a tool without a shell and gives what it says, also when it fails', async () => {
    const machine = await script('some-smi', 'echo "$1"; echo "trouble" >&2; exit 6');
    expect(await machine.runTool('some-smi', ['$(id) ; ls'])).toEqual({ status: 6, stdout: '$(id) ; ls\n', stderr: 'trouble\n' });
  });

  it('keeps its own environment from tools', async () => {
    const machine = await script('some-smi', 'env | grep -c "^HOME=" ; true');
    expect((await machine.runTool('some-smi', [])).stdout).toBe('0\n');
  });

  it('kills a tool that takes or says too much', async () => {
    await expect((await script('slow-smi', 'exec sleep 60', 300)).runTool('slow-smi', [])).rejects.toThrow('did not finish within 300 ms');
    await expect((await script('loud-smi', 'exec yes')).runTool('loud-smi', [])).rejects.toThrow('said more than 1000 bytes');
  });

  it('gives up a tool that survives being killed, and does not start it again until it is gone', async () => {
    const children: ChildProcess[] = [];
    await script('stuck-smi', `echo run >> ${root}/runs; exec sleep 600`);
    // As with a process in state D: the signal is sent, and the process goes on.
    const machine = new HostMachine({
      searchPath: join(root, 'tools'),
      toolTimeoutMs: 2_000,
      toolGoneMs: 100,
      kill: (child) => void children.push(child),
    });
    const first = machine.runTool('stuck-smi', ['--all']);
    const waiting = machine.runTool('stuck-smi', ['--usage']);
    await expect(first).rejects.toThrow('stuck-smi did not finish within 2000 ms');
    const pid = children[0]?.pid ?? 0;
    expect(machine.stuckTool('stuck-smi')).toEqual({ pid, since: expect.any(Number) });
    await expect(waiting).rejects.toThrow(`stuck-smi is not run: process ${pid} of it cannot be ended`);
    await expect(machine.runTool('stuck-smi', [])).rejects.toThrow('cannot be ended');
    expect(await machine.runTool('other-smi', []).catch(codeOf)).toBe('not_found');
    await expect.poll(async () => await readFile(join(root, 'runs'), 'utf8').catch(() => 'not yet')).toBe('run\n');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => machine.stuckTool('stuck-smi')).toBeUndefined();
    await script('stuck-smi', 'echo works');
    expect((await machine.runTool('stuck-smi', [])).stdout).toBe('works\n');
  });

  it('does not wait for what a killed tool leaves behind with its output open', async () => {
    const machine = await script('forks-smi', `sleep 600 & echo $! > ${root}/left; wait`, 2_000);
    await expect(machine.runTool('forks-smi', [])).rejects.toThrow('did not finish within 2000 ms');
    expect(machine.stuckTool('forks-smi')).toBeUndefined();
    process.kill(Number(await readFile(join(root, 'left'), 'utf8')), 'SIGKILL');
  });

  it('says that a tool is not installed', async () => {
    const machine = await script('broken-smi', '');
    await writeFile(join(root, 'tools/broken-smi'), '#!/nowhere/interpreter\n', { mode: 0o755 });
    expect(await codeWhen(machine.runTool('missing-smi', []))).toBe('not_found');
    expect(await codeWhen(machine.runTool('broken-smi', []))).toBe('not_found');
  });

  it('goes on to the next place when a tool is only half there', async () => {
    await script('some-smi', 'exec /nowhere/some-smi');
    await mkdir(join(root, 'more'));
    await writeFile(join(root, 'more/some-smi'), '#!/bin/sh\necho works\n', { mode: 0o755 });
    const both = new HostMachine({ searchPath: `${join(root, 'tools')}:${join(root, 'more')}` });
    expect((await both.runTool('some-smi', [])).stdout).toBe('works\n');
    const half = new HostMachine({ searchPath: join(root, 'tools') });
    expect(await half.runTool('some-smi', [])).toMatchObject({ status: 127, stderr: expect.stringContaining('/nowhere/some-smi') });
  });

  it('ends a tool with its signal', async () => {
    const machine = await script('slow-smi', 'exec sleep 60');
    const ending = new AbortController();
    const work = machine.runTool('slow-smi', [], ending.signal);
    ending.abort(new Error('no longer wanted'));
    await expect(work).rejects.toThrow('no longer wanted');
  });
});
