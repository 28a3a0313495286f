import type { AgentSilence } from '../model/observed.ts';
import type { ObservedAgent } from './observe-agent.ts';

/** An agent that is updated, or moved to another process, is back within this time, and nothing becomes unknown. */
const briefMs = 120_000;

export interface LookOptions {
  /** Before anything is published: an agent without a pod may have been gone for long, and nobody has said yet that it is there. */
  readonly isStart?: boolean | undefined;
}

/** When they were last written, as far as anybody knows. */
interface StoredFacts {
  readonly observedAt: string;
}

interface Quiet {
  readonly lastContactAt: number | undefined;
  readonly reason: string;
  /** When the silence began to count. */
  readonly from: number;
}

/**
 * Which nodes' agents are silent, and since when, by the readiness of their pods: it follows the age of their last scan, and costs nothing while it stays the same. Does no I/O and knows no clock.
 * Call it only with what is known for certain: an agent of which nobody could tell is not silent.
 */
export class AgentContact {
  readonly #quiet = new Map<string, Quiet>(); // node -> its silence
  readonly #heard = new Set<string>(); // nodes whose agent was ready once

  /** `agents`: those on the node. `facts`: what is stored of it. A node with neither expects no agent. */
  look(
    node: string,
    agents: readonly ObservedAgent[],
    facts: StoredFacts | undefined,
    now: number,
    { isStart = false }: LookOptions = {},
  ): AgentSilence | undefined {
    const isHeard = agents.some(({ isReady }) => isReady);
    if (isHeard) this.#heard.add(node);
    if (isHeard || (agents.length === 0 && facts === undefined)) {
      this.#quiet.delete(node);
      return undefined;
    }
    const known = this.#quiet.get(node) ?? this.#begin(node, agents, facts, now);
    const isLong = isStart && agents.length === 0 && !this.#heard.has(node);
    const from = isLong ? Number.NEGATIVE_INFINITY : known.from;
    const quiet = { ...known, from, reason: agents.length === 0 ? 'no agent runs on the node' : 'its pod is not ready' };
    this.#quiet.set(node, quiet);
    return { lastContactAt: quiet.lastContactAt, reason: quiet.reason, isBrief: now - quiet.from < briefMs };
  }

  forget(node: string): void {
    this.#quiet.delete(node);
    this.#heard.delete(node);
  }

  #begin(node: string, agents: readonly ObservedAgent[], facts: StoredFacts | undefined, now: number): Omit<Quiet, 'reason'> {
    const since = agents.flatMap(({ unreadySince }) => unreadySince ?? []);
    // A clock that is ahead must not make the silence begin later than it was noticed.
    const from = since.length === 0 ? now : Math.min(now, ...since);
    if (this.#heard.has(node)) return { from, lastContactAt: from };
    if (facts === undefined) return { from, lastContactAt: undefined };
    const observedAt = Date.parse(facts.observedAt);
    return { from, lastContactAt: since.length > 0 || Number.isNaN(observedAt) ? from : observedAt };
  }
}
