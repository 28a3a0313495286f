import { flushCompileCache } from 'node:module';
import { listenToSteps } from '@quartermaster/kernel';

/** Names the step at which a process is to die: `removals/deleted`, or `removals/deleted@3` for the third time that it gets there. */
export const stepVariable = 'QUARTERMASTER_STEP_STOP';

/**
 * Lets the process die with SIGKILL at the step that the environment names, if it names one. For the entry points of tests alone: the executable never calls it, so that
 * the variable has no effect there.
 */
export function installStepKiller(environment: NodeJS.ProcessEnv = process.env): void {
  const [target, times = '1'] = environment[stepVariable]?.split('@') ?? [];
  if (target === undefined) return;
  // Node does it at an exit, which this process does not get to: the next one would have to compile everything again.
  flushCompileCache();
  let left = Number(times);
  listenToSteps((step) => {
    if (step !== target) return undefined;
    left -= 1;
    if (left > 0) return undefined;
    process.kill(process.pid, 'SIGKILL');
    // The signal need not have arrived yet, and nothing may be done until it does.
    return new Promise<void>(() => {});
  });
}
