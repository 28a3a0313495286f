import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectsMigrations } from '@quartermaster/objects';
import { storeMigrations } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';
import { breakingStatements } from './breaking-statements.ts';

const own = fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url));
const directories = [own, storeMigrations.directory, objectsMigrations.directory];
const filesOf = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith('.sql'));
const files = directories.flatMap((directory) => filesOf(directory).map((name) => join(directory, name)));

describe('the migrations of the fulfillment service and of what it is made of', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(7);
  });

  it.each(files.map((path) => [basename(path), path]))(
    '%s leaves the release before it working, or says that it does not',
    (_name, path) => {
      const text = readFileSync(path, 'utf8');
      // What looks breaking and is not says what keeps the release before it working.
      const isMarked = /^--[ \t]*(breaks:[ \t]*previous[ \t]*$|keeps:[ \t]*previous, )/im.test(text);
      expect(isMarked ? [] : breakingStatements(text)).toEqual([]);
    },
  );

  // A database that has run one never runs it again. Whoever adds one records it there: sha256sum *.sql > SHA256SUMS
  it.each(directories)('in %s are those of SHA256SUMS, unchanged', (directory) => {
    const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
    const sums = filesOf(directory)
      .toSorted()
      .map((name) => `${createHash('sha256').update(read(name)).digest('hex')}  ${name}\n`);
    expect(sums.join('')).toBe(read('SHA256SUMS'));
  });
});
