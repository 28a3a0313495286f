import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '@quartermaster/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeKeyRing } from './key-ring-entries.ts';

let folder: string;
let path: string;
let first: string;
/** Changes the ring, and gives the first word of what it says: the id. */
const change = (what: 'add' | 'use' | 'drop', id = '', file = path): string => {
  let said = '';
  changeKeyRing(what, file, id, { out: { write: (text) => (said += text) }, err: { write: () => {} } });
  return said.split(' ')[0] ?? '';
};
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
    const second = change('add');
    expect(ids()).toEqual([first, second]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    change('use', second);
    expect(ids()).toEqual([second, first]);
    change('drop', first);
    expect(ids()).toEqual([second]);
    expect(readFileSync(path, 'utf8')).toContain('# ours\n');
  });

  it('refuses to take out the key that seals, and one that is not there', () => {
    expect(() => change('drop', first)).toThrow('seals what is written now');
    expect(() => change('use', 'nobody')).toThrow(`has no key nobody: it has ${first}`);
    expect(ids()).toEqual([first]);
  });

  it('leaves a file alone that is no ring of lines', () => {
    const two = `${KeyRing.generate().trim()},${KeyRing.generate()}`;
    writeFileSync(path, two);
    expect(() => change('add')).toThrow('several entries in a line');
    expect(readFileSync(path, 'utf8')).toBe(two);
    expect(() => change('add', '', join(folder, 'none'))).toThrow('cannot be read');
  });
});
