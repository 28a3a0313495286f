import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a test file gets at the larger numbers. */
const takesMore = /QUARTERMASTER_TEST_SOAK|\/soak\.ts'/;
const folders = ['api', 'lib', 'operators', 'services', 'simulator', 'apps', 'test'];

/**
 * The test files that do more in `npm run soak` than in every run, relative to the root of the checkout.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function soakFiles(root) {
  return folders.flatMap((folder) => testsIn(root, folder)).filter((file) => takesMore.test(readFileSync(join(root, file), 'utf8')));
}

/** @param {string} root @param {string} folder @returns {string[]} */
function testsIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return testsIn(root, path);
      return entry.name.endsWith('.test.ts') ? [path] : [];
    });
}
