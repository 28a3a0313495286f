import { type Clock, pause, sleep } from '@quartermaster/kernel';
import { behaviour, behaviourPrefix, type KubeletContainer, logRateVariable } from '../pods/kubelet-pod.ts';
import { untilStopped } from './container-run.ts';
import type { ContainerContext, ContainerProgram } from './image-registry.ts';

/** Nobody reads more, and what is written costs the process that plays all nodes. */
const maxLinesPerSecond = 1_000;

/** The program of a container whose image has none: says what it is, and does what annotations and environment want of it. */
export function plainProgram(
  { name, image }: KubeletContainer,
  annotations: Readonly<Record<string, string>>,
  clock: Clock,
): ContainerProgram {
  const runForMs = image.endsWith(':crash') ? 0 : behaviour(annotations, 'run-for-ms');
  const exitCode = image.endsWith(':crash') ? 1 : (behaviour(annotations, 'exit-code') ?? 0);
  const lines = annotations[`${behaviourPrefix}log`];
  return async (context, signal) => {
    context.log(`simulated container ${name} of image ${image} started\nnothing real runs here: this cluster is simulated`);
    if (lines !== undefined) context.log(lines);
    const over = new AbortController();
    void writeLines(context, clock, AbortSignal.any([signal, over.signal]));
    try {
      if (runForMs === undefined) return await untilStopped(context, signal);
      await sleep(clock, runForMs, signal).catch(() => {});
      return signal.aborted ? 0 : exitCode;
    } finally {
      over.abort();
    }
  };
}

async function writeLines(context: ContainerContext, clock: Clock, signal: AbortSignal): Promise<void> {
  const wanted = Number(context.env[logRateVariable]);
  if (!(wanted > 0)) return;
  const perSecond = Math.min(wanted, maxLinesPerSecond);
  const startedAt = clock.monotonic();
  for (let written = 0; ; ) {
    await pause(clock, Math.max(1_000 / perSecond, 100), signal);
    if (signal.aborted) return;
    const due = Math.floor(((clock.monotonic() - startedAt) * perSecond) / 1_000);
    while (written < due) {
      written += 1;
      context.log(`line ${written}`);
    }
  }
}
