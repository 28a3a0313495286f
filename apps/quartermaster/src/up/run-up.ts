import { systemClock } from '@quartermaster/kernel';
import { attachProcess, createLogger, exitCodeOf, installTraceContext, Lifecycle, type StopReport } from '@quartermaster/service';
import { failureText } from '../text/failure-line.ts';
import type { Output } from '../text/output.ts';
import { jsonProgress, type Progress, textProgress } from '../text/progress.ts';
import { startUp } from './start-up.ts';
import type { UpOptions } from './up-options.ts';

/** Whoever stops it waits no longer. Tests do where the machine is slow, unless this limit is what they are about. */
const stopWithinMs = Number(process.env['QUARTERMASTER_TEST_STOP_MS'] ?? 4_500);

/** Runs `up` until it is told to stop or cannot go on, says why, and resolves with the exit code. */
export async function runUp(options: UpOptions, output: Output): Promise<number> {
  const clock = systemClock;
  const progress = options.json ? jsonProgress(output, clock) : textProgress(output, clock);
  const isTerminal = output.err.isTTY === true;
  const log = createLogger({
    level: options.logLevel,
    format: isTerminal ? 'pretty' : 'json',
    colour: isTerminal,
    destination: output.err,
  });
  const lifecycle = new Lifecycle({ deadlineMs: stopWithinMs, clock, log });
  lifecycle.add({ name: 'trace context', stop: installTraceContext() });
  let isReady = false;
  lifecycle.signal.addEventListener('abort', () => void (isReady && progress.say('stopping', 'stopping …')), { once: true });
  // The process ends as soon as everything has stopped: what is to be said is said before that.
  void lifecycle.ended.then((report) => tellEnd(report, progress, output));
  attachProcess(lifecycle, { log });
  try {
    await startUp({ options, progress, log, clock, lifecycle });
    isReady = true;
  } catch (error) {
    await lifecycle.stop({ kind: 'failure', error });
  }
  return exitCodeOf(await lifecycle.ended);
}

function tellEnd({ reason, tookMs, notStopped }: StopReport, progress: Progress, { err }: Output): void {
  if (reason.kind === 'failure') {
    err.write(failureText(reason.error).text);
    return;
  }
  const rest = notStopped.length === 0 ? '' : `; not stopped: ${notStopped.join(', ')}`;
  progress.say('stopped', `stopped after ${(tookMs / 1000).toFixed(1)} s${rest}`);
}
