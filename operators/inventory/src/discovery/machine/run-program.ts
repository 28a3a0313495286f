import { type ExecFileException, execFile } from 'node:child_process';
import { StatusError } from '@quartermaster/kernel';
import type { ToolResult } from './machine-reader.ts';

export interface ProgramLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/**
 * Runs a program without a shell and without our environment. A program that fails is a result; one that takes too long or says too much is
 * killed and throws `unavailable`; one that cannot be started throws `not_found`.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  limits: ProgramLimits,
  signal?: AbortSignal,
): Promise<ToolResult> {
  signal?.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const options = {
      env: { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
      timeout: limits.timeoutMs,
      killSignal: 'SIGKILL' as const,
      maxBuffer: limits.maxOutputBytes,
      signal,
    };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (signal?.aborted === true) return reject(signal.reason);
      if (error === null) return resolve({ status: 0, stdout, stderr });
      if (typeof error.code === 'number') return resolve({ status: error.code, stdout, stderr });
      return reject(refusal(file, error, limits));
    });
    // A tool that reads its input would wait for ever.
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

function refusal(file: string, error: ExecFileException, limits: ProgramLimits): StatusError {
  const { code } = error;
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOEXEC') {
    return new StatusError('not_found', `${file} cannot be started`, { cause: error });
  }
  const rule =
    code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
      ? `said more than ${limits.maxOutputBytes} bytes`
      : error.killed === true
        ? `did not finish within ${limits.timeoutMs} ms`
        : 'was ended by a signal';
  return new StatusError('unavailable', `${file} ${rule}`);
}
