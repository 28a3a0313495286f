import { type Clock, type Log, messageOf, milliValue, parseQuantity, pause, StatusError, wholeValue } from '@quartermaster/kernel';
import { isFailure, type KubeObject, type KubeReader, resourceType } from '@quartermaster/kube';
import { knownTime } from '../model/known-time.ts';
import type { NodeUtilization, StaleSource } from '../model/node-inventory.ts';
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
  /** Undefined where the metrics server has no figures of a node any more. */
  readonly measured: (node: string, utilization: NodeUtilization | undefined) => void;
}

/** Asks the metrics server what nodes really use. A cluster without one simply has no such figures. */
export class UtilizationPoll {
  readonly #options: UtilizationOptions;
  #nodes: ReadonlySet<string> = new Set();
  #state: { readonly isExpected: boolean; readonly answeredAt?: number | undefined; readonly failure?: string | undefined } = {
    isExpected: true,
  };

  constructor(options: UtilizationOptions) {
    this.#options = options;
  }

  /** Figures do not tell how old they are: those that stay near the last ones are not told again. */
  stale(): readonly StaleSource[] {
    const { isExpected, answeredAt, failure } = this.#state;
    return isExpected && failure !== undefined ? [{ source, lastContactAt: answeredAt, reason: failure }] : [];
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log, intervalMs = 15_000, missingIntervalMs = 60_000 } = this.#options;
    while (!signal.aborted) {
      let waitMs = intervalMs;
      try {
        const { items } = await client.list(nodeMetrics, { signal });
        this.#take(items);
        this.#state = { isExpected: true, answeredAt: clock.now() };
      } catch (error) {
        if (signal.aborted) return;
        const isMissing = isFailure(error, 'kind-missing') || isFailure(error, 'not-found');
        if (isMissing) waitMs = missingIntervalMs;
        else log.debug('the metrics server does not answer', { error: messageOf(error) });
        const { isExpected, answeredAt } = this.#state;
        this.#state = { isExpected: answeredAt !== undefined || (isExpected && !isMissing), answeredAt, failure: messageOf(error) };
      }
      await pause(clock, waitMs, signal);
    }
  }

  #take(items: readonly NodeMetrics[]): void {
    const { clock, leftOut, measured } = this.#options;
    const before = this.#nodes;
    this.#nodes = new Set(items.map(({ metadata }) => metadata?.name ?? ''));
    leftOut.forget(source);
    for (const item of items) leftOut.taking(source, item.metadata?.name ?? '', () => measured(...figuresOf(item, clock)));
    for (const node of before) if (!this.#nodes.has(node)) measured(node, undefined);
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
