import type { FinishedCall } from '@quartermaster/rpc';
import type { Metrics } from '@quartermaster/service';
import type { Database, DatabaseObserver } from '@quartermaster/store';

export interface FulfillmentMetrics {
  readonly observer: DatabaseObserver;
  onCall(call: FinishedCall): void;
  /** Shows the pool of connections; returns what ends it. */
  follow(database: Database): () => void;
}

/** What a provider wants to see over time of the service. */
export function fulfillmentMetrics(metrics: Metrics): FulfillmentMetrics {
  const calls = metrics.counter({
    name: 'quartermaster_fulfillment_calls_total',
    help: 'Calls by what became of them.',
    labels: ['method', 'transport', 'outcome'],
  });
  const durations = metrics.histogram({
    name: 'quartermaster_fulfillment_call_duration_seconds',
    help: 'How long calls that answer once took.',
    labels: ['method'],
  });
  const statements = metrics.histogram({
    name: 'quartermaster_fulfillment_statement_duration_seconds',
    help: 'How long statements of the database took.',
    labels: ['outcome'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  return {
    observer: { query: (_name, durationMs, outcome) => statements.observe({ outcome }, durationMs / 1000) },
    onCall: ({ method, transport, outcome, durationMs }) => {
      calls.add({ method, transport, outcome });
      if (!isStream(method)) durations.observe({ method }, durationMs / 1000);
    },
    follow: (database) =>
      metrics.collectGauge(
        {
          name: 'quartermaster_fulfillment_connections',
          help: 'Connections to the database, and callers that wait for one.',
          labels: ['state'],
        },
        () => {
          const { open, idle, waiting } = database.figures();
          return [
            { labels: { state: 'used' }, value: open - idle },
            { labels: { state: 'idle' }, value: idle },
            { labels: { state: 'waiting' }, value: waiting },
          ];
        },
      ),
  };
}

const isStream = (method: string): boolean => method.endsWith('/Watch') || method.endsWith('/Reencrypt');
