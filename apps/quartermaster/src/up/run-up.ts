import { systemClock } from '@quartermaster/kernel';
import { attachProcess, createLogger, exitCodeOf, Lifecycle, type StopReport } from '@quartermaster/service';
import type { Output } from '../text/output.ts';
import { jsonProgress, type Progress, textProgress } from '../text/progress.ts';
import { startUp } from './start-up.ts';
import type { UpOptions } from './up-options.ts';

const stopWithinMs = 4_500;

/** Runs `up` until it is told to stop; resolves with the exit code. Throws when it could not start, after stopping what had. */
export async function runUp(options: UpOptions, output: Output): Promise<number> {
  const clock = systemClock;
  const progress = options.json ? jsonProgress(output, clock) : textProgress(output, clock);
  const format = output.err.isTTY === true ? 'pretty' : 'json';
  const log = createLogger({ level: options.logLevel, format, colour: output.err.isTTY === true, destination: output.err });
  const lifecycle = new Lifecycle({ deadlineMs: stopWithinMs, clock, log });
  let hasFailed = false;
  lifecycle.signal.addEventListener('abort', () => void (hasFailed || progress.say('stopping', 'stopping …')), { once: true });
  // Told before the process ends, which `attachProcess` sees to: it listens after this.
  const told = lifecycle.ended.then((report) => tellEnd(report, progress));
  const detach = attachProcess(lifecycle, { log });
  try {
    await startUp({ options, progress, log, clock, lifecycle });
  } catch (error) {
    const wasTold = lifecycle.signal.aborted;
    hasFailed = !wasTold;
    if (!wasTold) detach();
    const report = await lifecycle.stop({ kind: 'failure', error });
    await told;
    if (wasTold) return exitCodeOf(report);
    throw error;
  }
  const report = await lifecycle.ended;
  return exitCodeOf(report);
}

function tellEnd({ reason, tookMs, notStopped }: StopReport, progress: Progress): void {
  if (reason.kind === 'failure') return;
  const rest = notStopped.length === 0 ? '' : `; left behind: ${notStopped.join(', ')}`;
  progress.say('stopped', `stopped after ${(tookMs / 1000).toFixed(1)} s${rest}`);
}
