/**
 * `npm run bundle:discovery`: one archive with the discovery program and the Node that runs it, for machines that have neither. It is written to
 * `dist`, or to the folder given: `npm run bundle:discovery -- /tmp`.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from './setup/command.mjs';
import { root } from './setup/find-node24.mjs';
import { createLog } from './setup/progress.mjs';
import { ensureWorkspace } from './setup/workspace.mjs';

const run = promisify(execFile);
const name = `quartermaster-discovery-${process.platform}-${process.arch}`;

/** Finds its own folder also when it is called through a link, and passes on how the program ended. */
const startScript = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/node" "$here/discovery.mjs" "$@"
`;

await runCommand(async () => {
  const log = createLog();
  await ensureWorkspace({ log });
  const step = log.step('bundle discovery');
  const work = await mkdtemp(join(tmpdir(), 'quartermaster-bundle-'));
  try {
    const folder = join(work, name);
    await mkdir(folder);
    await bundle(join(folder, 'discovery.mjs'));
    await copyFile(nodeBinary(), join(folder, 'node'));
    await writeFile(join(folder, 'discovery'), startScript);
    await Promise.all([chmod(join(folder, 'node'), 0o755), chmod(join(folder, 'discovery'), 0o755)]);
    await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const target = resolve(process.argv[2] ?? join(root, 'dist'));
    const archive = join(target, `${name}.tar.gz`);
    await mkdir(target, { recursive: true });
    await run('tar', ['--create', '--gzip', `--file=${archive}`, '--directory', work, name]);
    const { size } = await stat(archive);
    step.done();
    process.stdout.write(`${archive} (${(size / 2 ** 20).toFixed(1)} MiB): unpack it and run ${name}/discovery --once --json\n`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return 0;
});

/** @param {string} file */
async function bundle(file) {
  const { build } = await import('rolldown');
  await build({
    input: join(root, 'operators/inventory/src/discovery/main.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'esm', comments: false },
  });
}

/** The one that npm installed for this platform. */
function nodeBinary() {
  const require = createRequire(import.meta.url);
  return join(require.resolve(`node-${process.platform}-${process.arch}/package.json`), '..', 'bin', 'node');
}
