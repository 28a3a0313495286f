import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inStep } from './progress.mjs';

const shownErrorLines = 30;
const showMs = 500;

/**
 * Builds a family into its folder of the cache, which appears only when everything in it is finished.
 *
 * @param {{ go: string, family: import('./control-plane-families.mjs').Family, log: import('./progress.mjs').Log }} options
 */
export async function goBuild({ go, family, log }) {
  const names = [...family.packages.keys()];
  const unfinished = `${family.folder}.${process.pid}.tmp`;
  try {
    await inStep(log, `build ${names.join(', ')}`, async (step) => {
      mkdirSync(unfinished, { recursive: true });
      const total = await countPackages({ go, family, step });
      await compile({ go, family, step, total, output: unfinished });
      publish(unfinished, family.folder);
    });
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Fetches the modules that the build needs and counts the packages in it.
 *
 * @param {{ go: string, family: import('./control-plane-families.mjs').Family, step: import('./progress.mjs').Step }} options
 */
async function countPackages({ go, family, step }) {
  let packages = 0;
  let modules = 0;
  step.update('reading the list of packages');
  await runGo(go, ['list', '-deps', ...family.packages.values()], family.moduleFolder, {
    onOutput: () => {
      packages += 1;
    },
    onError: (line) => {
      if (!line.startsWith('go: downloading ')) return;
      modules += 1;
      step.update(`downloaded ${modules} modules, now ${line.slice('go: downloading '.length)}`);
    },
  });
  return packages;
}

/**
 * @param {object} options
 * @param {string} options.go
 * @param {import('./control-plane-families.mjs').Family} options.family
 * @param {import('./progress.mjs').Step} options.step
 * @param {number} options.total
 * @param {string} options.output
 */
async function compile({ go, family, step, total, output }) {
  const names = [...family.packages.keys()];
  let compiled = 0;
  const show = () => {
    const finished = names.filter((name) => existsSync(join(output, name)));
    const counted = compiled === 0 ? `nothing left to compile in ${total} packages` : `compiled ${compiled} of at most ${total} packages`;
    step.update(`${counted}, linked ${finished.length} of ${names.length}${finished.length === 0 ? '' : ` (${finished.join(', ')})`}`);
  };
  // Go says when it has compiled a package, and nothing while it links.
  const timer = setInterval(show, showMs);
  try {
    // A single package is named by its file; several go into a folder under the last part of their import paths.
    const target = names.length === 1 ? join(output, `${names[0]}`) : `${output}/`;
    await runGo(go, ['build', '-v', ...family.flags, '-o', target, ...family.packages.values()], family.moduleFolder, {
      onError: () => {
        compiled += 1;
      },
    });
  } finally {
    clearInterval(timer);
  }
}

/** Another process may have finished the same folder first; then that one stays. @param {string} unfinished @param {string} folder */
function publish(unfinished, folder) {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/**
 * @param {string} go
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {{ onOutput?: (line: string) => void, onError?: (line: string) => void }} listeners
 * @returns {Promise<void>}
 */
function runGo(go, args, cwd, { onOutput, onError }) {
  // What a person set for other Go work must not change what is built here.
  const env = { ...process.env, GOFLAGS: '', GOWORK: 'off', GOOS: '', GOARCH: '' };
  const child = spawn(go, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {string[]} */
  const lastErrors = [];
  createInterface({ input: child.stdout }).on('line', (line) => onOutput?.(line));
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastErrors.push(line);
    if (lastErrors.length > shownErrorLines) lastErrors.shift();
    onError?.(line);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${go} did not start: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`\`go ${args[0]}\` in ${cwd} ended with ${signal ?? `code ${code}`}:\n${lastErrors.join('\n')}`));
    });
  });
}
