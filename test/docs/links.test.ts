import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = globSync('**/*.md', { cwd: root, exclude: (name) => name.endsWith('node_modules') }).toSorted();

/** Targets of links that point into the repository, without the part after `#`. */
function linkedFiles(page: string): string[] {
  const text = readFileSync(resolve(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target.replace(/#.*/, ''));
  return targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

describe('the documentation', () => {
  it.each(pages)('%s links only to files that exist', (page) => {
    const missing = linkedFiles(page).filter((target) => !existsSync(resolve(root, dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it('is found', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/adr/README.md', 'docs/reference/errors.md']));
  });
});
