import { type Clock, type Log, messageOf, milliValue, parseQuantity, pause, wholeValue } from '@quartermaster/kernel';
import { isFailure, type KubeObject, type KubeReader, resourceType } from '@quartermaster/kube';
import type { NodeUtilization } from '../model/node-inventory.ts';

interface NodeMetrics extends KubeObject {
  readonly timestamp?: string | undefined;
  readonly usage?: { readonly cpu?: string; readonly memory?: string };
}

const nodeMetrics = resourceType<NodeMetrics>({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'NodeMetrics',
  plural: 'nodes',
  namespaced: false,
});

export interface UtilizationOptions {
  readonly client: KubeReader;
  readonly clock: Clock;
  readonly log: Log;
  /** How often the metrics server is asked. It measures every 15 s itself. */
  readonly intervalMs?: number | undefined;
  /** How often to look whether there is a metrics server at all. */
  readonly missingIntervalMs?: number | undefined;
  readonly measured: (node: string, utilization: NodeUtilization) => void;
}

/** Asks the metrics server what nodes really use, until the signal aborts. A cluster without one simply has no such figures. */
export async function pollUtilization(options: UtilizationOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, intervalMs = 15_000, missingIntervalMs = 60_000 } = options;
  while (!signal.aborted) {
    let waitMs = intervalMs;
    try {
      const { items } = await client.list(nodeMetrics, { signal });
      for (const item of items) tell(item, options);
    } catch (error) {
      if (signal.aborted) return;
      if (isFailure(error, 'kind-missing') || isFailure(error, 'not-found')) waitMs = missingIntervalMs;
      else log.debug('the metrics server does not answer', { error: messageOf(error) });
    }
    await pause(clock, waitMs, signal);
  }
}

function tell({ metadata, timestamp, usage }: NodeMetrics, { measured, clock, log }: UtilizationOptions): void {
  const name = metadata?.name;
  if (name === undefined || usage?.cpu === undefined || usage.memory === undefined) return;
  try {
    const at = Date.parse(timestamp ?? '');
    measured(name, {
      cpuMillis: Number(milliValue(parseQuantity(usage.cpu))),
      memoryBytes: Number(wholeValue(parseQuantity(usage.memory))),
      observedAt: Number.isNaN(at) ? clock.now() : at,
    });
  } catch (error) {
    log.debug('the metrics server sent an invalid quantity', { node: name, error: messageOf(error) });
  }
}
