import { relative } from 'node:path';

/** @typedef {{ file: string, seconds: number }} FileTime */

/**
 * What we read of vitest's module of one test file. The parts of its time are exclusive; `duration` is that of its tests and hooks.
 *
 * @typedef {object} EndedModule
 * @property {string} moduleId
 * @property {() => { readonly collectDuration: number, readonly setupDuration: number, readonly duration: number }} diagnostic
 */

const shown = 20;

/**
 * A reporter of vitest that names the slowest test files when the run is over. The JSON report would do without one, but it
 * leaves out the hooks, which is where files start their servers.
 */
// vitest takes the default export of a reporter.
// oxlint-disable-next-line import/no-default-export
export default class SlowestFilesReporter {
  /** @type {FileTime[]} @readonly */
  #times = [];

  /** @param {EndedModule} module */
  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    const seconds = (collectDuration + setupDuration + duration) / 1000;
    this.#times.push({ file: relative(process.cwd(), module.moduleId), seconds });
  }

  onTestRunEnd() {
    console.log(formatSlowest(this.#times));
  }
}

/**
 * @param {readonly FileTime[]} times
 * @returns {string}
 */
export function formatSlowest(times) {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown);
  const rows = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
  return ['', `The ${slowest.length} slowest of ${times.length} test files:`, ...rows, ''].join('\n');
}
