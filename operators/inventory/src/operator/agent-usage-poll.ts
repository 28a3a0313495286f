import { type Clock, type Log, messageOf, pause } from '@quartermaster/kernel';
import { type ObjectKeyText, parseKey, type ReadableCache } from '@quartermaster/kube';
import * as z from 'zod';
import { discoveryPort } from '../discovery/agent/discovery-defaults.ts';
import type { ObservedAgent } from '../observe/observe-agent.ts';
import type { AgentNetwork } from './agent-network.ts';
import { askAgent } from './ask-agent.ts';
import { silenceText } from './silence-text.ts';

export interface AgentUsageOptions {
  readonly pods: ReadableCache<ObservedAgent>;
  readonly agents: AgentNetwork;
  readonly clock: Clock;
  readonly log: Log;
  /** How often an agent is asked; one that does not answer, four times less often. 30 s unless given. */
  readonly intervalMs?: number | undefined;
  /** How many are asked at the same time; 16 unless given. */
  readonly maxConcurrent?: number | undefined;
  /** How long an agent may take to answer; 3 s unless given. */
  readonly timeoutMs?: number | undefined;
  /** Agents of other nodes are left alone. */
  readonly hasGpus: (node: string) => boolean;
  /** The certificate that the agent of the node serves with, by its own account. */
  readonly fingerprintOf: (node: string) => string | undefined;
  /** Where it serves; agents of earlier releases do not say. */
  readonly portOf: (node: string) => number | undefined;
  /** Percent by the GPUs' UUIDs; empty when the agent does not tell any more. */
  readonly measured: (node: string, percent: ReadonlyMap<string, number>) => void;
}

/** What became of the last question to an agent. */
interface Asked {
  /** When to ask again, monotonic. */
  readonly dueAt: number;
  /** What the agent was trusted by; another one is a reason to ask at once. */
  readonly fingerprint: string | undefined;
  /** Why it told nothing. */
  readonly silence?: string | undefined;
}

/** How often to look whether an agent is due. */
const lookIntervalMs = 1_000;
const silencePeriods = 4;

const answerSchema = z.object({
  gpus: z.array(z.object({ uuid: z.string().min(1).max(128), utilizationPercent: z.number().min(0).max(100).optional() })).max(256),
});

/**
 * Asks the agents how busy their GPUs are. Each is called directly, trusted by the fingerprint in its NodeHardware and by nothing else. What an agent does not tell is no
 * figure, and has a reason.
 */
export class AgentUsagePoll {
  readonly #options: AgentUsageOptions;
  readonly #asked = new Map<ObjectKeyText, Asked>();
  readonly #asking = new Map<ObjectKeyText, Promise<void>>();

  constructor(options: AgentUsageOptions) {
    this.#options = options;
    options.pods.subscribe({
      deleted: ({ key, value }) => {
        this.#asked.delete(key);
        // Another one may have taken its place already.
        if (!this.#running().some(({ value: other }) => other.node === value.node)) options.measured(value.node, new Map());
      },
    });
  }

  /** Works until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#look(signal);
      await pause(this.#options.clock, lookIntervalMs, signal);
    }
    await Promise.all(this.#asking.values());
  }

  /** Which agents do not tell, and why; undefined when all do. */
  problem(): string | undefined {
    const running = this.#running();
    const silent = running.flatMap(({ key, value: { node } }) => {
      const reason = this.#asked.get(key)?.silence;
      return reason === undefined ? [] : [{ node, reason }];
    });
    return silenceText(silent, 'do not tell how busy their GPUs are', running.length);
  }

  #running(): { readonly key: ObjectKeyText; readonly value: ObservedAgent }[] {
    return [...this.#options.pods.entries()].filter(({ value }) => value.isRunning && this.#options.hasGpus(value.node));
  }

  /** Begins to ask those that are due, the longest waiting first. */
  #look(signal: AbortSignal): void {
    const { clock, maxConcurrent = 16, fingerprintOf } = this.#options;
    const now = clock.monotonic();
    const dueAt = (key: ObjectKeyText, node: string): number => {
      const asked = this.#asked.get(key);
      return asked === undefined || asked.fingerprint !== fingerprintOf(node) ? 0 : asked.dueAt;
    };
    const due = this.#running()
      .map(({ key, value }) => ({ key, value, at: dueAt(key, value.node) }))
      .filter(({ key, at }) => at <= now && !this.#asking.has(key))
      .toSorted((a, b) => a.at - b.at);
    for (const { key, value } of due.slice(0, Math.max(maxConcurrent - this.#asking.size, 0))) {
      const asking = this.#ask(key, value, signal).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
  }

  async #ask(key: ObjectKeyText, agent: ObservedAgent, signal: AbortSignal): Promise<void> {
    const { clock, log, fingerprintOf, measured, intervalMs = 30_000 } = this.#options;
    const { node } = agent;
    const fingerprint = fingerprintOf(node);
    try {
      const { gpus } = answerSchema.parse(await this.#answer(key, agent, fingerprint, signal));
      this.#asked.set(key, { dueAt: clock.monotonic() + intervalMs, fingerprint });
      measured(node, new Map(gpus.flatMap(({ uuid, utilizationPercent: percent }) => (percent === undefined ? [] : [[uuid, percent]]))));
    } catch (error) {
      if (signal.aborted) return;
      const silence = error instanceof z.ZodError || error instanceof SyntaxError ? 'its answer is not understood' : messageOf(error);
      log.debug('agent does not report GPU usage', { agent: key, node, error: silence });
      this.#asked.set(key, { dueAt: clock.monotonic() + intervalMs * silencePeriods, fingerprint, silence });
      measured(node, new Map());
    }
  }

  async #answer(
    key: ObjectKeyText,
    { node, address }: ObservedAgent,
    fingerprint: string | undefined,
    ending: AbortSignal,
  ): Promise<unknown> {
    const { agents, portOf, timeoutMs = 3_000 } = this.#options;
    if (fingerprint === undefined)
      throw new Error('its NodeHardware names no certificate: see the log of the agent, and update it where it is older');
    const signal = AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]);
    const token = await agents.token(signal);
    const stream = await agents.connect({ ...parseKey(key), address }, portOf(node) ?? discoveryPort, signal);
    return await askAgent({ stream, fingerprint, token, path: '/v1/usage' }, signal);
  }
}
