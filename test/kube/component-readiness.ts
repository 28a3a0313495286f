import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StatusError } from '@quartermaster/kernel';
import type { Ending, SupervisedProcesses } from './supervised-processes.ts';

/** Generous: a machine with a full test run on it starts a control plane many times slower than an idle one. */
const readyDeadlineMs = 90_000;
const pollMs = 50;
const shownLogLines = 20;

/**
 * Resolves once the condition holds. Fails at once when the process that it depends on ends, and after a deadline
 * otherwise; the error shows the last lines of that process's log.
 */
export async function untilReady(processes: SupervisedProcesses, name: string, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs;
  while (!(await isReady())) {
    const ending = processes.ending(name);
    if (ending !== undefined) throw await failure(processes, name, `${name} ended with ${describe(ending)} while it started`);
    if (performance.now() > deadline) throw await failure(processes, name, `${name} was not ready after ${readyDeadlineMs / 1000} s`);
    await wait(pollMs);
  }
}

/** True for a start that failed because another process took a port between its choice and its use. */
export const isPortTaken = (error: unknown): boolean => error instanceof StatusError && error.message.includes('address already in use');

async function failure(processes: SupervisedProcesses, name: string, what: string): Promise<StatusError> {
  const log = await readFile(join(processes.directory, `${name}.log`), 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-shownLogLines);
  return new StatusError('unavailable', `${what}; the last lines of its log:\n${lines.join('\n')}`);
}

const describe = ({ code, signal }: Ending): string => (signal === null ? `exit code ${code}` : `signal ${signal}`);
