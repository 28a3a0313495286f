import { type Clock, type Log, messageOf, pause, type Random } from '@quartermaster/kernel';
import { type Cache, type KubeClient, kinds, type ObjectKeyText, parseKey, startCache } from '@quartermaster/kube';
import * as z from 'zod';
import { discoveryName, discoveryPort } from '../discovery/agent/discovery-defaults.ts';

export interface AgentUsageOptions {
  readonly client: KubeClient;
  /** The namespace of the agents. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How often an agent is asked; one that does not answer, four times less often. 30 s unless given. */
  readonly intervalMs?: number | undefined;
  /** How many are asked at the same time; 16 unless given. */
  readonly maxConcurrent?: number | undefined;
  /** How long an agent may take to answer; 3 s unless given. */
  readonly timeoutMs?: number | undefined;
  /** Agents of other nodes are left alone. */
  readonly hasGpus: (node: string) => boolean;
  /** Percent by the GPUs' UUIDs; empty when the agent does not tell any more. Called only when that changed. */
  readonly measured: (node: string, percent: ReadonlyMap<string, number>) => void;
}

interface Agent {
  readonly node: string;
  readonly isRunning: boolean;
}

/** How often to look whether an agent is due. */
const lookIntervalMs = 1_000;
const silencePeriods = 4;

const answerSchema = z.object({
  gpus: z.array(z.object({ uuid: z.string().min(1).max(128), utilizationPercent: z.number().min(0).max(100).optional() })).max(256),
});

/** Asks the agents how busy their GPUs are, through the API server, until the signal aborts. What an agent does not tell is no figure. */
export async function pollAgentUsage(options: AgentUsageOptions, signal: AbortSignal): Promise<void> {
  const { client, namespace, clock, random, log } = options;
  const agents = startCache(client, {
    type: kinds.pods,
    namespace,
    labelSelector: `app.kubernetes.io/name=${discoveryName}`,
    fields: { spec: { nodeName: true }, status: { phase: true } },
    project: ({ spec, status }): Agent => ({ node: spec?.nodeName ?? '', isRunning: status?.phase === 'Running' }),
    clock,
    random,
    log,
  });
  try {
    const poll = new AgentUsagePoll(agents, options, signal);
    while (!signal.aborted) {
      poll.look();
      await pause(clock, lookIntervalMs, signal);
    }
    await poll.settled();
  } finally {
    await agents.stop();
  }
}

class AgentUsagePoll {
  readonly #agents: Cache<Agent>;
  readonly #options: AgentUsageOptions;
  readonly #signal: AbortSignal;
  readonly #dueAt = new Map<ObjectKeyText, number>(); // agent -> when to ask it again, monotonic
  readonly #asking = new Map<ObjectKeyText, Promise<void>>();
  readonly #told = new Map<string, ReadonlyMap<string, number>>(); // node -> what was last passed on

  constructor(agents: Cache<Agent>, options: AgentUsageOptions, signal: AbortSignal) {
    this.#agents = agents;
    this.#options = options;
    this.#signal = signal;
    agents.subscribe({
      deleted: ({ key, value }) => {
        this.#dueAt.delete(key);
        this.#tell(value.node, new Map());
      },
    });
  }

  /** Begins to ask those that are due, the longest waiting first. */
  look(): void {
    const { clock, maxConcurrent = 16, hasGpus } = this.#options;
    const now = clock.monotonic();
    const due = [...this.#agents.entries()]
      .filter(({ key, value }) => value.isRunning && !this.#asking.has(key) && (this.#dueAt.get(key) ?? 0) <= now && hasGpus(value.node))
      .toSorted((a, b) => (this.#dueAt.get(a.key) ?? 0) - (this.#dueAt.get(b.key) ?? 0));
    for (const { key, value } of due.slice(0, Math.max(maxConcurrent - this.#asking.size, 0))) {
      const asking = this.#ask(key, value.node).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#asking.values());
  }

  async #ask(key: ObjectKeyText, node: string): Promise<void> {
    const { client, clock, log, intervalMs = 30_000, timeoutMs = 3_000 } = this.#options;
    const { namespace = '', name } = parseKey(key);
    try {
      const answer = await client.transport.json<unknown>({
        what: `ask the agent ${key} how busy its GPUs are`,
        method: 'GET',
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}:${discoveryPort}/proxy/v1/usage`,
        timeoutMs,
        signal: this.#signal,
      });
      const { gpus } = answerSchema.parse(answer);
      this.#dueAt.set(key, clock.monotonic() + intervalMs);
      this.#tell(node, new Map(gpus.flatMap(({ uuid, utilizationPercent: percent }) => (percent === undefined ? [] : [[uuid, percent]]))));
    } catch (error) {
      if (this.#signal.aborted) return;
      log.debug('agent does not report GPU usage', { agent: key, node, error: messageOf(error) });
      this.#dueAt.set(key, clock.monotonic() + intervalMs * silencePeriods);
      this.#tell(node, new Map());
    }
  }

  #tell(node: string, percent: ReadonlyMap<string, number>): void {
    const before = this.#told.get(node) ?? new Map<string, number>();
    const isSame = before.size === percent.size && [...percent].every(([uuid, value]) => before.get(uuid) === value);
    if (isSame) return;
    this.#told.set(node, percent);
    this.#options.measured(node, percent);
  }
}
