import { FakeClock, type Log, type Random } from '@quartermaster/kernel';
import { onTestFinished } from 'vitest';
import { Controller, type ControllerOptions, type ReconcileEvent } from '../src/loop/controller.ts';
import type { Outcome } from '../src/loop/reconciler.ts';
import { sourceOf } from '../src/objects/cache-source.ts';
import { MemoryCache } from './memory-cache.ts';

const middle: Random = { next: () => 0.5, fill: (bytes) => bytes };

type Reconcile = (key: string, signal: AbortSignal) => Promise<Outcome>;

/** A controller of one reconciler over an empty cache, which runs until it is stopped or the test ends. */
export function startController(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const cache = new MemoryCache<string>();
  const events: ReconcileEvent[] = [];
  const lines: string[] = [];
  const write = (level: string) => (message: string) => lines.push(`${level}: ${message}`);
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const controller = new Controller({
    reconciler: { name: 'test', reconcile },
    sources: [sourceOf(cache)],
    clock,
    random: middle,
    log,
    onOutcome: (event) => events.push(event),
    ...options,
  });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('test ends'));
    await running;
  };
  onTestFinished(stop);
  return { clock, cache, events, lines, controller, running, stop, kinds: () => events.map((event) => event.kind) };
}
