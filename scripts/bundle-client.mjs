/** Makes the bundle of `apps/quartermaster/src/client-bundle.ts`, unless there is one that is fresh. Runs on Node 24. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { bundleFolder, freshBundle, recordPath, root, stampOf } from '../apps/quartermaster/src/client-bundle.ts';

const input = join(root, 'apps/quartermaster/src/program.ts');

if (freshBundle() === undefined) await makeBundle();

async function makeBundle() {
  const { build } = await import('rolldown');
  const { output } = await build({
    input,
    platform: 'node',
    logLevel: 'warn',
    // What is not the client's is never asked of the bundle.
    external: /^\.\/local\//,
    plugins: [
      {
        name: 'one copy of protobuf',
        // npm puts the same version into several packages of the workspace.
        resolveId(source, importer) {
          return source.startsWith('@bufbuild/protobuf') && importer !== input ? this.resolve(source, input) : null;
        },
      },
    ],
    write: false,
    output: { format: 'esm', comments: false, codeSplitting: false },
  });
  const [{ code, modules }] = output;
  const sources = Object.keys(modules).filter((id) => existsSync(id));
  const inputs = new Set([join(root, 'node_modules/.package-lock.json'), ...sources, ...sources.flatMap(manifestsAbove)]);
  const stamps = [...inputs].map((path) => relative(root, path)).map((path) => [path, stampOf(path)]);
  const file = `client.${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`;
  await mkdir(bundleFolder, { recursive: true });
  await replace(join(bundleFolder, file), code);
  await replace(recordPath, JSON.stringify({ file, inputs: Object.fromEntries(stamps) }));
  const others = (await readdir(bundleFolder)).filter((name) => /^client\..*\.mjs$/.test(name) && name !== file);
  await Promise.all(others.map((name) => rm(join(bundleFolder, name), { force: true })));
}

/** What says which file an import leads to. @param {string} path @returns {string[]} */
function manifestsAbove(path) {
  for (let folder = dirname(path); folder.length >= root.length - 1; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return [manifest];
  }
  return [];
}

/** In one step, so that nobody reads half of it. @param {string} path @param {string} text */
async function replace(path, text) {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}
