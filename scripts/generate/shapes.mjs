import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../setup/find-node24.mjs';
import { builtInModules } from './built-in-shapes.mjs';
import { customResourcesText } from './custom-resource.mjs';

/**
 * @typedef {import('./custom-resource.mjs').Definition} Definition
 * @typedef {import('./built-in-shapes.mjs').BuiltInData} BuiltInData
 */

/** Each YAML file of `from` that defines a custom resource gives a module of `into`. */
const definitions = [
  { from: 'api/crds', into: 'api/src/crds/generated' },
  { from: 'test/example', into: 'test/example/generated' },
];

/** What the real API server says of the kinds it has built in; `simulator/scripts/extract-schemas.ts` renews it, and a test compares it with the server. */
const builtIn = 'simulator/src/schema/vectors/built-in.json';

/**
 * The modules with the shapes of Kubernetes objects, as they should be.
 *
 * @returns {Promise<Map<string, string>>} path relative to the root -> text
 */
export async function shapeModules() {
  // Not installed yet when this file is loaded on a fresh clone.
  const { parseAllDocuments } = await import('yaml');
  /** @type {Map<string, string>} */
  const modules = new Map();
  for (const { from, into } of definitions) {
    for (const name of (await readdir(join(root, from))).filter((each) => each.endsWith('.yaml')).toSorted()) {
      const documents = parseAllDocuments(await readFile(join(root, from, name), 'utf8'));
      const matching = documents.filter((document) => document.get('kind') === 'CustomResourceDefinition');
      const found = matching.map((document) => /** @type {Definition} */ (document.toJS()));
      if (found.length > 0) modules.set(`${into}/${name.replace(/yaml$/, 'ts')}`, customResourcesText(found, `${from}/${name}`));
    }
  }
  const data = /** @type {BuiltInData} */ (JSON.parse(await readFile(join(root, builtIn), 'utf8')));
  const { meta, shapes, kinds } = builtInModules(data);
  modules.set('lib/kernel/src/generated/object-meta.ts', meta);
  modules.set('lib/kube/src/generated/kinds.ts', kinds);
  modules.set('lib/kube/src/generated/shapes.ts', shapes);
  return modules;
}

export async function writeShapes() {
  for (const [path, text] of await shapeModules()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
