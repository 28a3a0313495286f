import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '@quartermaster/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyRingEntries } from './key-ring-entries.ts';

let folder: string;
let path: string;
let first: string;
const ids = () => KeyRing.parse(readFileSync(path, 'utf8')).keyIds;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-ring-'));
  path = join(folder, 'ring');
  writeFileSync(path, `# ours\n${KeyRing.generate()}`, { mode: 0o644 });
  first = ids()[0] ?? '';
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('a rotation of keys', () => {
  it('adds a key that opens, lets it seal, and takes the old one out, and keeps comments', () => {
    const entries = new KeyRingEntries(path);
    const second = entries.add();
    expect(ids()).toEqual([first, second]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    entries.use(second);
    expect(ids()).toEqual([second, first]);
    entries.drop(first);
    expect(ids()).toEqual([second]);
    expect(readFileSync(path, 'utf8')).toContain('# ours\n');
  });

  it('refuses to take out the key that seals, and one that is not there', () => {
    const entries = new KeyRingEntries(path);
    expect(() => entries.drop(first)).toThrow('seals what is written now');
    expect(() => entries.use('nobody')).toThrow(`has no key nobody: it has ${first}`);
    expect(ids()).toEqual([first]);
  });

  it('leaves a file alone that is no ring of lines', () => {
    const two = `${KeyRing.generate().trim()},${KeyRing.generate()}`;
    writeFileSync(path, two);
    expect(() => new KeyRingEntries(path).add()).toThrow('several entries in a line');
    expect(readFileSync(path, 'utf8')).toBe(two);
    expect(() => new KeyRingEntries(join(folder, 'none')).add()).toThrow('cannot be read');
  });
});
