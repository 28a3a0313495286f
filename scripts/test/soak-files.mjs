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
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules')).map((file) => `${folder}/${file}`);
}
