import { readFileSync } from 'node:fs';
import { storageReasons } from '@quartermaster/inventory/storage';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/reference/storage.md', import.meta.url), 'utf8');

describe('the reference of storage classes', () => {
  it('lists exactly the reasons there are, in their order, with the words of the code', () => {
    const section = page.split(/^## /m).find((text) => text.startsWith('Why a class is not offered\n')) ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const cells = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
    expect(cells).toEqual(Object.entries(storageReasons).map(([code, { means, hint }]) => [code, means, hint]));
  });
});
