import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostMachine } from './host-machine.ts';
import { KernelLog } from './kernel-log.ts';

describe('KernelLog', () => {
  it('reads a device until it has no more, and goes on from there', () => {
    const log = new KernelLog(() => true);
    onTestFinished(() => log.close());
    // As a log that nobody has written to.
    expect(log.read('/dev/null')).toBe('');
    expect(log.read('/dev/null')).toBe('');
  });

  it('bounds what it keeps of one that never ends', () => {
    const log = new KernelLog((record) => record.length > 0, 5_000);
    onTestFinished(() => log.close());
    const kept = log.read('/dev/zero')?.split('\n') ?? [];
    expect(kept.length).toBeLessThanOrEqual(4_000);
    expect(Math.max(...kept.map(({ length }) => length))).toBe(1_000);
  });

  it('leaves an ordinary file to others', () => {
    const directory = mkdtempSync(join(tmpdir(), 'kernel-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'kmsg');
    writeFileSync(file, 'x');
    const log = new KernelLog(() => true);
    expect(log.read(file)).toBeUndefined();
    expect(() => log.read(join(directory, 'absent'))).toThrow('ENOENT');
  });
});

describe('the kernel log of a machine', () => {
  it('is read, or refused as any other file is', async () => {
    const machine = new HostMachine();
    onTestFinished(() => machine.close());
    const answer = await machine.readFile('/dev/kmsg').catch((error: unknown) => error);
    expect(typeof answer === 'string' || answer instanceof Error).toBe(true);
  });
});
