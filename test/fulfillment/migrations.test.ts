import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { breakingStatements } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';

const directory = fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url));
const files = readdirSync(directory).filter((name) => name.endsWith('.sql'));
const read = (name: string): string => readFileSync(`${directory}/${name}`, 'utf8');

describe('the migrations of the fulfillment service', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(2);
  });

  // A database that has run one never runs it again. Whoever adds one records it there: sha256sum *.sql > SHA256SUMS
  it('are those of SHA256SUMS, unchanged', () => {
    const sums = files.toSorted().map((name) => `${createHash('sha256').update(read(name)).digest('hex')}  ${name}\n`);
    expect(sums.join('')).toBe(read('SHA256SUMS'));
  });

  it.each(files)('%s leaves the release before it working, or says that it does not', (name) => {
    const isMarked = /^--[ \t]*breaks:[ \t]*previous[ \t]*$/im.test(read(name));
    expect(isMarked ? [] : breakingStatements(read(name))).toEqual([]);
  });
});
