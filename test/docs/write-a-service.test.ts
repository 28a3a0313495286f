import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the guide to writing a service', () => {
  // A block begins with the path of its file; … stands for lines that are left out.
  const blocks = [...read('docs/guides/write-a-service.md').matchAll(/^```\w+\n\/\/ (\S+)\n([\s\S]*?)^```/gm)];

  it('has code of the fulfillment service', () => {
    expect(blocks.length).toBeGreaterThan(5);
  });

  it.each(blocks.map(([, path = '', code = '']) => [path, code]))('shows %s as it is', (path, code) => {
    const source = read(path);
    for (const part of code.split(/^\s*…\n/m)) expect(source).toContain(part);
  });
});
