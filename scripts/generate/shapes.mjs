import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../setup/find-node24.mjs';
import { customResourcesText } from './custom-resource.mjs';

/** Each YAML file of `from` that defines a custom resource gives a module of `into`. */
const definitions = [{ from: 'api/crds', into: 'api/src/crds/generated' }];

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
      const objects = parseAllDocuments(await readFile(join(root, from, name), 'utf8')).map((document) => document.toJS());
      const found = objects.filter((object) => object?.kind === 'CustomResourceDefinition');
      if (found.length > 0) modules.set(`${into}/${name.replace(/yaml$/, 'ts')}`, customResourcesText(found, `${from}/${name}`));
    }
  }
  return modules;
}

export async function writeShapes() {
  for (const [path, text] of await shapeModules()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
