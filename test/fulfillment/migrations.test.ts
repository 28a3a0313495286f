import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectsMigrations } from '@quartermaster/objects';
import { breakingStatements, storeMigrations } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';

const own = fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url));
const files = [own, storeMigrations.directory, objectsMigrations.directory].flatMap((directory) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => join(directory, name)),
);

describe('the migrations of the fulfillment service and of what it is made of', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(7);
  });

  it.each(files.map((path) => [basename(path), path]))(
    '%s leaves the release before it working, or says that it does not',
    (_name, path) => {
      const text = readFileSync(path, 'utf8');
      const isMarked = /^--[ \t]*breaks:[ \t]*previous[ \t]*$/im.test(text);
      expect(isMarked ? [] : breakingStatements(text)).toEqual([]);
    },
  );
});
