import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { roles } from '../roles/roles.ts';
import { DataDirectory, type KeepingRole } from './data-directory.ts';

let parent: string;
let path: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data-'));
  path = join(parent, 'up');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const small = { scenario: 'small', fingerprint: 'a' };

describe('DataDirectory', () => {
  it('is made for its owner alone when it is missing', () => {
    const directory = DataDirectory.open(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(directory.isEmpty).toBe(true);
    directory.close();
  });

  it('is held by one opener at a time', () => {
    const directory = DataDirectory.open(path);
    expect(() => DataDirectory.open(path)).toThrow('in use by another');
    directory.close();
    DataDirectory.open(path).close();
  });

  it('remembers the world it keeps', () => {
    const directory = DataDirectory.open(path);
    directory.keepWorld(small);
    directory.close();
    const again = DataDirectory.open(path);
    expect(again.world).toEqual(small);
    again.close();
  });

  it('refuses another world, and the same scenario once it was changed', () => {
    const directory = DataDirectory.open(path);
    directory.keepWorld(small);
    expect(() => directory.keepWorld({ scenario: 'gpu-farm', fingerprint: 'b' })).toThrow(
      'of the scenario small, not of gpu-farm: start over',
    );
    expect(() => directory.keepWorld({ scenario: 'small', fingerprint: 'b' })).toThrow('as it was before it was changed: start over');
    expect(directory.world).toEqual(small);
    directory.close();
  });

  it('deletes only what it made when it is reset', () => {
    const directory = DataDirectory.open(path);
    directory.keepWorld(small);
    mkdirSync(directory.simulator);
    writeFileSync(join(directory.simulator, 'objects'), 'x');
    writeFileSync(join(path, 'notes.txt'), 'mine');
    directory.reset();
    expect(existsSync(directory.simulator)).toBe(false);
    expect(readFileSync(join(path, 'notes.txt'), 'utf8')).toBe('mine');
    expect(directory.world).toBeUndefined();
    directory.keepWorld({ scenario: 'gpu-farm', fingerprint: 'b' });
    directory.close();
  });

  it('deletes the data of every role that keeps some, as the roles declare it', () => {
    const another: KeepingRole = { declaration: { prefix: 'billing', database: true } };
    const directory = DataDirectory.open(path, [...roles, another]);
    for (const name of ['fulfillment', 'billing', 'inventory']) mkdirSync(join(path, name));
    expect(directory.isEmpty).toBe(false);
    directory.reset();
    // The inventory declares no database: a folder of this name is somebody else's.
    expect(readdirSync(path).filter((name) => ['fulfillment', 'billing', 'inventory'].includes(name))).toEqual(['inventory']);
    expect(directory.isEmpty).toBe(true);
    directory.close();
  });

  it('does not touch a directory that holds files of somebody else', () => {
    mkdirSync(path);
    writeFileSync(join(path, 'thesis.tex'), 'x');
    expect(() => DataDirectory.open(path)).toThrow('holds files that `quartermaster up` did not make');
  });

  it('refuses a directory of a newer version and says so', () => {
    mkdirSync(path);
    writeFileSync(join(path, 'quartermaster.json'), JSON.stringify({ product: 'quartermaster up', format: 99, shape: 'unknown' }));
    expect(() => DataDirectory.open(path)).toThrow('written by a newer Quartermaster (data format 99, this one knows 1)');
    expect(() => DataDirectory.open(path)).toThrow('newer');
  });

  it('refuses a directory whose marker is damaged', () => {
    mkdirSync(path);
    writeFileSync(join(path, 'quartermaster.json'), '{"product":');
    expect(() => DataDirectory.open(path)).toThrow('quartermaster.json is damaged: restore it');
  });

  it('says what to do when a file is in the way', () => {
    writeFileSync(path, 'x');
    expect(() => DataDirectory.open(path)).toThrow('this is not a directory: give a directory that you may write to');
  });
});
