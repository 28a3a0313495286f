import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshBundle, root, stampOf } from './client-bundle.ts';

let folder: string;
let source: string;
let record: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-bundle-'));
  source = join(folder, 'source.ts');
  record = join(folder, 'client.json');
  writeFileSync(source, 'one');
  writeFileSync(join(folder, 'client.1.mjs'), '');
  const path = relative(root, source);
  writeFileSync(record, JSON.stringify({ file: 'client.1.mjs', inputs: { [path]: stampOf(path) } }));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('freshBundle', () => {
  it('is there while everything that it was made from is as it was', () => {
    expect(freshBundle(record)).toBe(join(folder, 'client.1.mjs'));
  });

  it.each([
    ['a source has changed, though not in size', () => writeFileSync(source, 'two')],
    ['a source is gone', () => unlinkSync(source)],
    ['the record is broken', () => writeFileSync(record, '{')],
    ['it is gone itself', () => unlinkSync(join(folder, 'client.1.mjs'))],
    ['none was made', () => unlinkSync(record)],
  ])('is none when %s', (_what, change) => {
    change();
    expect(freshBundle(record)).toBeUndefined();
  });
});
