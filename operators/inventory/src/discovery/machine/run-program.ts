import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { ToolResult } from './machine-reader.ts';

export interface ProgramLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** How long a killed program may take to be gone. One that waits in the kernel (state D) takes for ever. */
  readonly goneMs: number;
}

export interface RunProgramOptions {
  /** Beside a path and a locale: programs do not get our own. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly limits: ProgramLimits;
  readonly clock: Clock;
  /** Called when the program cannot be killed, before it is given up. `gone` resolves when it has ended after all. */
  readonly stuck: (pid: number, gone: Promise<void>) => void;
  /** Sends SIGKILL. */
  readonly kill?: ((child: ChildProcess) => void) | undefined;
}

/**
 * Runs a program without a shell. A program that fails is a result; one that takes too long or says too much is killed and throws `unavailable`; one that cannot
 * be started throws `not_found`. It always settles: neither a program that survives being killed nor one whose children keep its output open is waited for.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: RunProgramOptions,
  signal?: AbortSignal,
): Promise<ToolResult> {
  signal?.throwIfAborted();
  const { environment, limits, clock, stuck, kill = (child) => child.kill('SIGKILL') } = options;
  const { promise, resolve, reject } = Promise.withResolvers<ToolResult>();
  const env = { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment };
  // A tool that reads its input would wait for ever.
  const child = start(file, args, env);
  const gone = new Promise<void>((ended) => child.once('exit', () => ended()));
  const output = new Output(child, limits.maxOutputBytes, () => end(new StatusError('unavailable', tooLoud(file, limits))));
  let ending: unknown;
  const end = (why: unknown): void => {
    if (ending !== undefined) return;
    ending = why;
    kill(child);
    cancels.push(clock.schedule(limits.goneMs, giveUp));
  };
  const giveUp = (): void => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && child.pid !== undefined) stuck(child.pid, gone);
    release(child);
    reject(ending);
  };
  const abort = (): void => {
    kill(child);
    release(child);
    reject(signal?.reason);
  };
  const cancels = [clock.schedule(limits.timeoutMs, () => end(new StatusError('unavailable', tooSlow(file, limits))))];
  signal?.addEventListener('abort', abort, { once: true });
  child.once('error', (cause) => reject(refusal(file, cause)));
  child.once('close', (status, by) => {
    if (ending !== undefined) reject(ending);
    else if (by !== null) reject(new StatusError('unavailable', `${file} was ended by a signal`));
    else resolve({ status, ...output.texts() });
  });
  try {
    return await promise;
  } finally {
    for (const cancel of cancels) cancel();
    signal?.removeEventListener('abort', abort);
  }
}

function start(file: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  try {
    return spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw refusal(file, error);
  }
}

function refusal(file: string, cause: unknown): StatusError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const isNone = code === 'ENOENT' || code === 'EACCES' || code === 'ENOEXEC';
  return new StatusError(isNone ? 'not_found' : 'unavailable', `${file} cannot be started`, { cause });
}

const tooSlow = (file: string, { timeoutMs }: ProgramLimits): string => `${file} did not finish within ${timeoutMs} ms`;
const tooLoud = (file: string, { maxOutputBytes }: ProgramLimits): string => `${file} said more than ${maxOutputBytes} bytes`;

/** Nothing of it keeps this process waiting any more. */
function release(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

class Output {
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];
  #bytes = 0;

  constructor({ stdout, stderr }: ChildProcess, maxBytes: number, tooMuch: () => void) {
    const collect =
      (into: Buffer[]) =>
      (chunk: Buffer): void => {
        this.#bytes += chunk.length;
        if (this.#bytes > maxBytes) tooMuch();
        else into.push(chunk);
      };
    stdout?.on('data', collect(this.#stdout));
    stderr?.on('data', collect(this.#stderr));
  }

  texts(): Pick<ToolResult, 'stdout' | 'stderr'> {
    return { stdout: Buffer.concat(this.#stdout).toString('utf8'), stderr: Buffer.concat(this.#stderr).toString('utf8') };
  }
}
