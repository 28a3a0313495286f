import { type Clock, type Log, messageOf, milliValue, parseQuantity, pause, StatusError, wholeValue } from '@quartermaster/kernel';
import { isFailure, type KubeObject, type KubeReader, resourceType } from '@quartermaster/kube';
import { knownTime } from '../model/known-time.ts';
import type { NodeUtilization } from '../model/node-inventory.ts';
import type { LeftOutObjects } from '../observe/left-out.ts';
import { object, optional, shaped, text } from '../observe/shape.ts';

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

/** As completeness calls it. */
const source = 'node-metrics';

export interface UtilizationOptions {
  readonly client: KubeReader;
  readonly clock: Clock;
  readonly log: Log;
  /** How often the metrics server is asked. It measures every 15 s itself. */
  readonly intervalMs?: number | undefined;
  /** How often to look whether there is a metrics server at all. */
  readonly missingIntervalMs?: number | undefined;
  readonly leftOut: Pick<LeftOutObjects, 'taking' | 'forget'>;
  readonly measured: (node: string, utilization: NodeUtilization) => void;
}

/** Asks the metrics server what nodes really use, until the signal aborts. A cluster without one simply has no such figures. */
export async function pollUtilization(options: UtilizationOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, leftOut, measured, intervalMs = 15_000, missingIntervalMs = 60_000 } = options;
  while (!signal.aborted) {
    let waitMs = intervalMs;
    try {
      const { items } = await client.list(nodeMetrics, { signal });
      leftOut.forget(source);
      for (const item of items) leftOut.taking(source, item.metadata?.name ?? '', () => measured(...figuresOf(item, clock)));
    } catch (error) {
      if (signal.aborted) return;
      if (isFailure(error, 'kind-missing') || isFailure(error, 'not-found')) waitMs = missingIntervalMs;
      else log.debug('the metrics server does not answer', { error: messageOf(error) });
    }
    await pause(clock, waitMs, signal);
  }
}

interface ReadMetrics extends Pick<NodeMetrics, 'timestamp' | 'usage'> {
  readonly metadata: { readonly name: string };
}

const shape = object<ReadMetrics>({
  metadata: object({ name: text }),
  timestamp: optional(text),
  usage: optional(object({ cpu: optional(text), memory: optional(text) })),
});

function figuresOf(item: NodeMetrics, clock: Clock): [node: string, utilization: NodeUtilization] {
  return shaped(shape, ({ metadata, timestamp, usage }): [string, NodeUtilization] => {
    const observedAt = timestamp === undefined ? clock.now() : knownTime(timestamp);
    if (observedAt === undefined) throw new StatusError('invalid_argument', `timestamp ${timestamp} cannot be when it was measured`);
    const cpuMillis = figure('usage.cpu', milliValue(parseQuantity(usage?.cpu ?? '')));
    const memoryBytes = figure('usage.memory', wholeValue(parseQuantity(usage?.memory ?? '')));
    return [metadata.name, { cpuMillis, memoryBytes, observedAt }];
  })(item);
}

function figure(field: string, value: bigint): number {
  if (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  throw new StatusError('invalid_argument', `${field} is ${value < 0n ? 'negative' : 'more than any machine has'}`);
}
