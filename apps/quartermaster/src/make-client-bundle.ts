/** A program: makes the bundle of the client, unless there is one that is fresh. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BundleRecord, bundleFolder, freshBundle, recordPath, root, stampOf } from './client-bundle.ts';

const input = join(root, 'apps/quartermaster/src/program.ts');

if (freshBundle() === undefined) await makeBundle();

async function makeBundle(): Promise<void> {
  const { build } = await import('rolldown');
  const startedAt = Date.now();
  const { output } = await build({
    input,
    platform: 'node',
    logLevel: 'warn',
    // What is not the client's is never asked of the bundle.
    external: /^\.\/commands\/local\//,
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
  const stamps = [...inputs].map((path) => relative(root, path)).map((path) => [path, stampOf(path)] as const);
  // What changed meanwhile may have been read before or after: then there is no bundle until the next start.
  if ([...inputs].some((path) => statSync(path).mtimeMs >= startedAt)) return;
  const file = `client.${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`;
  await mkdir(bundleFolder, { recursive: true });
  await replace(join(bundleFolder, file), code);
  const record: BundleRecord = { file, inputs: Object.fromEntries(stamps) };
  await replace(recordPath, JSON.stringify(record));
  const others = (await readdir(bundleFolder)).filter((name) => /^client\..*\.mjs$/.test(name) && name !== file);
  await Promise.all(others.map((name) => rm(join(bundleFolder, name), { force: true })));
}

/** What says which file an import leads to. */
function manifestsAbove(path: string): readonly string[] {
  for (let folder = dirname(path); folder.length >= root.length - 1; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return [manifest];
  }
  return [];
}

/** In one step, so that nobody reads half of it. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}
