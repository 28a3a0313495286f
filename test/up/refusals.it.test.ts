import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quartermaster, quartermasterInProcess } from './running-up.ts';

let parent: string;
let dataDir: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'up-refusals-'));
  dataDir = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const up = (...args: readonly string[]) => quartermaster(['up', '--data-dir', dataDir, '--port', '0', ...args]);

describe('up refuses in one line', () => {
  it('a data directory of a newer version', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'quartermaster.json'), JSON.stringify({ product: 'quartermaster up', format: 2 }));
    const { stderr, stdout, exitCode } = await up();
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      `quartermaster: ${dataDir} was written by a newer Quartermaster (data format 2, this one knows 1): run the newer one, or give another directory with --data-dir DIR\n`,
    );
  });

  it('a directory with files of somebody else, also when told to start over', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'thesis.tex'), 'x');
    const { stderr, exitCode } = await up('--reset', '--yes');
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `quartermaster: ${dataDir} holds files that \`quartermaster up\` did not make: give an empty or a new directory with --data-dir DIR\n`,
    );
    expect(existsSync(join(dataDir, 'thesis.tex'))).toBe(true);
  });

  it('a directory that it may not write to', async () => {
    // Not even the administrator may make directories there.
    const { stderr, exitCode } = await quartermaster(['up', '--data-dir', '/sys/quartermaster', '--port', '0']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^quartermaster: \/sys\/quartermaster: (permission denied|the file system is read-only): give a directory .*\n/);
  });

  it('a file where the directory should be', async () => {
    writeFileSync(dataDir, 'x');
    const { stderr, exitCode } = await up();
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^quartermaster: .*: this is not a directory: give a directory .*\n$/);
  });

  it('to delete without being asked twice', async () => {
    mkdirSync(join(dataDir, 'simulator'), { recursive: true });
    writeFileSync(join(dataDir, 'quartermaster.json'), JSON.stringify({ product: 'quartermaster up', format: 1 }));
    const { stderr, exitCode } = await up('--reset');
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `quartermaster: --reset deletes what is kept in ${dataDir}, and there is no terminal to ask on: add --yes to confirm\n`,
    );
    expect(existsSync(join(dataDir, 'simulator'))).toBe(true);
  });

  it('a kubeconfig that is not there', async () => {
    const { stderr, exitCode } = await up('--kubeconfig', join(parent, 'missing'));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^quartermaster: kubeconfig .*missing cannot be read: check that the file exists/);
  });

  it('a cluster that does not answer', async () => {
    const kubeconfig = join(parent, 'kubeconfig');
    const cluster = { server: 'https://127.0.0.1:1' };
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      }),
    );
    const { stderr, exitCode } = await up('--kubeconfig', kubeconfig);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^quartermaster: the cluster of .*kubeconfig does not answer \(.*\): see whether `kubectl .* version` does/);
  });

  it.each([
    [['--port', 'eighty'], 'a port is a whole number from 0 to 65535'],
    [['--kubernetes', 'imaginary'], 'Allowed choices are simulated, real.'],
    [['--kubeconfig', 'x', '--scenario', 'small'], "cannot be used with option '--scenario"],
    [['--kubeconfig', 'x', '--kubernetes', 'real'], "cannot be used with option '--kubernetes"],
    [['--log-level', 'loud'], 'Allowed choices are debug, info, warn, error.'],
  ])('%j', async (args, words) => {
    const { stderr, exitCode } = await quartermasterInProcess('up', '--data-dir', dataDir, '--port', '0', ...args);
    expect(exitCode).toBe(2);
    expect(stderr.startsWith('quartermaster: ')).toBe(true);
    expect(stderr).toContain(words);
    expect(existsSync(dataDir)).toBe(false);
  });
});
