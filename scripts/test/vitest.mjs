import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOnNode24 } from '../setup/node24.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * What we read of the report of vitest's JSON reporter.
 *
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {readonly { status: string, assertionResults: readonly { status: string }[] }[]} testResults
 */

const vitest = 'node_modules/vitest/vitest.mjs';

/** @type {Counts} */
export const none = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs the tests of some projects, with their progress on the terminal. A run that ended badly never counts as passed,
 * whatever the report says or where there is none.
 *
 * @param {readonly string[]} projects
 * @param {readonly string[]} filters
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Counts>}
 */
export async function runTests(projects, filters, options) {
  return withReportFile(async (file) => {
    const selected = projects.map((project) => `--project=${project}`);
    const reporters = ['--reporter=default', '--reporter=./scripts/test/slowest-files.mjs', '--reporter=json', `--outputFile.json=${file}`];
    const code = await runOnNode24(vitest, ['run', ...selected, ...reporters, ...filters], options);
    const report = /** @type {VitestReport | undefined} */ (readJson(file));
    const counts = report === undefined ? none : countsOf(report);
    if (code === 0 || counts.failed > 0) return counts;
    console.error(`vitest ended with exit code ${code} although no test failed: see its output above.`);
    return { ...counts, failed: 1 };
  });
}

/**
 * How many tests a project has, without running them.
 *
 * @param {string} project
 * @param {readonly string[]} filters
 * @returns {Promise<number>}
 */
export async function countTests(project, filters) {
  return withReportFile(async (file) => {
    // Collecting runs the global set-ups: with a cluster and a database given to them, they start none.
    const env = { QUARTERMASTER_TEST_KUBECONFIG: file, QUARTERMASTER_TEST_DATABASE_URL: 'postgresql://127.0.0.1/' };
    await runOnNode24(vitest, ['list', `--project=${project}`, '--no-staticParse', `--json=${file}`, ...filters], { env });
    const tests = /** @type {readonly unknown[] | undefined} */ (readJson(file));
    if (tests === undefined) throw new Error(`The tests of the project ${project} could not be listed: see the output above.`);
    return tests.length;
  });
}

/**
 * A file that failed outside its tests (it does not load, a hook threw) is one failure: its tests never ran.
 *
 * @param {VitestReport} report
 * @returns {Counts}
 */
export function countsOf(report) {
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @param {Counts} a @param {Counts} b @returns {Counts} */
export function addCounts(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** @param {Counts} counts */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * @template T
 * @param {(file: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withReportFile(use) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-test-'));
  try {
    return await use(join(folder, 'report.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file @returns {unknown} Undefined when there is no such file or it is not whole. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
