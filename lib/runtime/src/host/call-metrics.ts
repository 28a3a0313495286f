import type { FinishedCall, ServedService } from '@quartermaster/rpc';
import type { Metrics } from '@quartermaster/service';

/** Counts the calls of a role by what became of them, and how long those took that answer once. */
export function callMetrics(metrics: Metrics, prefix: string, services: readonly ServedService[]): (call: FinishedCall) => void {
  const calls = metrics.counter({
    name: `quartermaster_${prefix}_calls_total`,
    help: 'Calls by outcome.',
    labels: ['method', 'transport', 'outcome'],
  });
  const durations = metrics.histogram({
    name: `quartermaster_${prefix}_call_duration_seconds`,
    help: 'Duration of unary calls.',
    labels: ['method'],
  });
  const streams = new Set(
    services.flatMap(({ descriptor }) =>
      descriptor.methods.filter(({ methodKind }) => methodKind !== 'unary').map((method) => `/${descriptor.typeName}/${method.name}`),
    ),
  );
  return ({ method, transport, outcome, durationMs }) => {
    calls.add({ method, transport, outcome });
    if (!streams.has(method)) durations.observe({ method }, durationMs / 1000);
  };
}
