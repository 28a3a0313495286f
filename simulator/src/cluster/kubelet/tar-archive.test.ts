import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MemoryFilesystem } from '../machine/memory-filesystem.ts';
import { tarArchive } from './tar-archive.ts';

it('makes archives that tar takes apart again', async () => {
  const long = `/data/${'very/'.repeat(30)}deep`;
  const files = new Map<string, string | { readonly target: string }>([
    ['/data/short', 'text with ümlauts\n'],
    ['/data/block', 'x'.repeat(512)],
    ['/data/empty', ''],
    [long, 'deep\n'],
    ['/data/link', { target: 'short' }],
    ['/other', 'not asked for'],
  ]);
  const directory = mkdtempSync(join(tmpdir(), 'tar-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { status, stderr } = spawnSync('tar', ['-xf', '-', '-C', directory], {
    input: await tarArchive(new MemoryFilesystem(files), '/data'),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  for (const [path, text] of files) {
    if (typeof text === 'string' && path !== '/other') expect(readFileSync(join(directory, path), 'utf8')).toBe(text);
  }
  expect(readlinkSync(join(directory, 'data/link'))).toBe('short');
  expect(() => readFileSync(join(directory, 'other'))).toThrow('ENOENT');
});
