import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { linkTarget } from './link-target.ts';
import type { StuckTool, ToolResult } from './machine-reader.ts';
import { pathInRoot } from './path-in-root.ts';
import { type ProgramLimits, type RunProgramOptions, runProgram } from './run-program.ts';
import { type ToolPlace, toolPlaces } from './tool-places.ts';

export interface ToolRunnerOptions {
  /** Where the machine's root filesystem is mounted. */
  readonly root: string;
  readonly searchPath: string;
  readonly limits: ProgramLimits;
  readonly kill?: RunProgramOptions['kill'];
  readonly clock: Clock;
}

/**
 * Runs the tools of a machine, each of them one run at a time. A run that cannot even be killed is left alone, and the tool is not started again until it is gone: the next
 * would get stuck as well, and they would pile up.
 */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #turns = new Map<string, Promise<unknown>>(); // tool -> the last run that was asked for
  readonly #stuck = new Map<string, StuckTool>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  stuck(name: string): StuckTool | undefined {
    return this.#stuck.get(name);
  }

  /** As `MachineReader.runTool`. */
  async run(name: string, args: readonly string[], signal?: AbortSignal): Promise<ToolResult> {
    const before = this.#turns.get(name);
    const turn = (async () => {
      await before?.catch(() => {});
      return await this.#runAnywhere(name, args, signal);
    })();
    this.#turns.set(name, turn);
    return await turn;
  }

  /** Where a tool lies in several places, the first counts that can run at all: a driver may leave a wrapper or a library behind. */
  async #runAnywhere(name: string, args: readonly string[], signal: AbortSignal | undefined): Promise<ToolResult> {
    const { searchPath, root } = this.#options;
    const stuck = this.#stuck.get(name);
    if (stuck !== undefined) throw new StatusError('unavailable', `${name} is not run: process ${stuck.pid} of it cannot be ended`);
    let unusable: ToolResult | undefined;
    for (const place of toolPlaces(name, searchPath, root)) {
      if (!(await isExecutable(place))) continue;
      try {
        const result = await this.#runAt(name, place, args, signal);
        if (!isIncomplete(result)) return result;
        unusable ??= result;
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 'not_found')) throw error;
      }
    }
    if (unusable !== undefined) return unusable;
    throw new StatusError('not_found', `${name} is not installed on this machine`);
  }

  async #runAt(name: string, { file, chroot, libraries }: ToolPlace, args: readonly string[], signal?: AbortSignal): Promise<ToolResult> {
    const { limits, clock, kill } = this.#options;
    const since = clock.now();
    const stuck: RunProgramOptions['stuck'] = (pid, gone) => {
      this.#stuck.set(name, { pid, since });
      void gone.then(() => this.#stuck.delete(name));
    };
    const environment = libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries.join(':') };
    const options = { environment, limits, clock, kill, stuck };
    if (chroot === undefined) return await runProgram(file, args, options, signal);
    const inside = `/${posix.relative(chroot, file)}`;
    const result = await runProgram('chroot', [chroot, inside, ...args], options, signal);
    // 125 to 127 are chroot's own: it may not change the root, or the program does not start there.
    if (result.status !== null && result.status >= 125 && result.status <= 127) {
      throw new StatusError('not_found', `${inside} cannot be run under ${chroot}: ${result.stderr.trim()}`);
    }
    return result;
  }
}

/** A shell's statuses for a program that it cannot run, and what loaders say of a missing library. */
function isIncomplete({ status, stdout, stderr }: ToolResult): boolean {
  if (status === 0) return false;
  return status === 126 || status === 127 || /error while loading shared libraries|libnvidia-ml\.so/.test(stdout + stderr);
}

/** Links of another root mean what they mean there. */
async function isExecutable({ file, chroot }: ToolPlace): Promise<boolean> {
  try {
    await access(chroot === undefined ? file : await pathInRoot(chroot, posix.relative(chroot, file), linkTarget), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
