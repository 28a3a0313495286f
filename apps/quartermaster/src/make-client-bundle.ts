/**
 * A program: makes the bundle of the client, unless there is one that is fresh. With `--unchecked` it is taken for fresh ever after: for an image, in which
 * nothing changes and files get other times.
 */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BundleRecord, bundleFolder, freshBundle, recordPath, root, stampOf } from './client-bundle.ts';
import { writeWhole } from './files/write-whole.ts';

const input = join(root, 'apps/quartermaster/src/program.ts');

/** Whoever makes the bundle of an image is not who runs it. */
const mode = 0o644;
const isChecked = !process.argv.includes('--unchecked');

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
  const lock = join(root, 'node_modules/.package-lock.json');
  const inputs = new Set(isChecked ? [lock, ...sources, ...sources.flatMap(manifestsAbove)] : []);
  const stamps = [...inputs].map((path) => relative(root, path)).map((path) => [path, stampOf(path)] as const);
  // What changed meanwhile may have been read before or after: then there is no bundle until the next start.
  if ([...inputs].some((path) => statSync(path).mtimeMs >= startedAt)) return;
  const file = `client.${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`;
  await mkdir(bundleFolder, { recursive: true });
  writeWhole(join(bundleFolder, file), code, { mode });
  const record: BundleRecord = { file, inputs: Object.fromEntries(stamps) };
  writeWhole(recordPath, JSON.stringify(record), { mode });
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
