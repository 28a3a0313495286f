import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root, toolEnvironment } from '../setup/find-node24.mjs';
import { descriptionsIn } from './descriptions.mjs';

const run = promisify(execFile);

/** Packages with generated code: each has a buf.gen.yaml. The second holds what lib/rpc needs of Google's contracts. */
export const generatingPackages = ['api', 'lib/rpc'];

// Contracts of Google that ours import, by their path in google-proto-files and under api/proto.
const vendored = [
  'google/api/annotations.proto',
  'google/api/http.proto',
  'google/api/httpbody.proto',
  'google/rpc/error_details.proto',
  'google/rpc/status.proto',
];

/** Brings Google's contracts up to the installed version of google-proto-files. */
export async function vendorContracts() {
  for (const path of vendored) await cp(join(root, 'node_modules/google-proto-files', path), join(root, 'api/proto', path));
}

/** Checks our own contracts against the rules of api/buf.yaml. Throws with what buf says. */
export async function lintContracts() {
  await buf('api', ['lint']);
}

/** The contracts of the last release, which what there is now must not break. */
export const baseline = 'baseline/contracts.binpb';

/**
 * Throws with what buf says when readers or writers of the baseline's contracts could not live with the ones there are now.
 *
 * @param {string} [folder] The package with the contracts.
 */
export async function checkAgainstBaseline(folder = 'api') {
  await buf(folder, ['breaking', '--against', join(root, 'api', baseline)]);
}

/** Makes the contracts there are now the baseline: a step of every release. */
export async function renewBaseline() {
  await mkdir(join(root, 'api/baseline'), { recursive: true });
  await buf('api', ['build', '--exclude-source-info', '--output', baseline]);
}

/**
 * Writes the generated code of one package.
 *
 * @param {string} folder One of `generatingPackages`.
 * @param {string} [into] A folder to write below, instead of the package's own.
 */
export async function generateCode(folder, into) {
  if (into !== undefined) await mkdir(into, { recursive: true });
  await buf(folder, ['generate', ...(into === undefined ? [] : ['--output', into])]);
  if (folder === 'api') await writeDescriptions(into ?? join(root, folder));
}

/** @param {string} into The folder of the package. */
async function writeDescriptions(into) {
  const image = /** @type {{ file: import('./descriptions.mjs').File[] }} */ (
    JSON.parse(await buf('api', ['build', '--output', '-#format=json']))
  );
  const text = JSON.stringify(descriptionsIn(image), undefined, 2);
  await writeFile(join(into, 'src/generated/descriptions.json'), `${text}\n`);
}

/** @param {string} folder @returns {Promise<string[]>} Every file below, relative to it, sorted. */
export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** @param {string} folder @param {string[]} args @returns {Promise<string>} What buf wrote. */
async function buf(folder, args) {
  try {
    const options = { cwd: resolve(root, folder), env: toolEnvironment(), maxBuffer: 64 * 1024 * 1024 };
    return (await run(join(root, 'node_modules/.bin/buf'), args, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    throw new Error(`buf ${args.join(' ')} in ${folder} failed:\n${stdout}${stderr}`.trimEnd(), { cause: error });
  }
}
