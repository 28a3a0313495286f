import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the guide of the inventory', () => {
  const guide = read('docs/guides/inventory.md');
  const ledger = globSync('operators/inventory/src/ledger/*.ts', { cwd: root }).filter((path) => !/\.test\.ts$|fixtures/.test(path));

  it('lists every reason and condition that the ledger gives', () => {
    const codes = ledger.flatMap((path) => [...read(path).matchAll(/code: '([A-Za-z]+)'/g)].map(([, code]) => code));
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
  });

  it('lists every key of the configuration file', () => {
    const lists = read('operators/inventory/src/config/parse-inventory-config.ts').matchAll(/\[('[a-z_]+'(?:, '[a-z_]+')*)\]/g);
    const keys = [...lists].flatMap(([, list = '']) => list.replaceAll("'", '').split(', '));
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter((key) => !guide.includes(key))).toEqual([]);
  });
});
