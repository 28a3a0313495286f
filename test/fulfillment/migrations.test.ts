import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { breakingStatements } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';

const directory = fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url));
const files = readdirSync(directory).filter((name) => name.endsWith('.sql'));

describe('the migrations of the fulfillment service', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(2);
  });

  it.each(files)('%s leaves the release before it working, or says that it does not', (name) => {
    const text = readFileSync(`${directory}/${name}`, 'utf8');
    const isMarked = /^--[ \t]*breaks:[ \t]*previous[ \t]*$/im.test(text);
    expect(isMarked ? [] : breakingStatements(text)).toEqual([]);
  });
});
