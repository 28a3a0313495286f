/** How often the agent of one node looks. */
export interface AgentPace {
  readonly pollIntervalMs: number;
  readonly holdersIntervalMs: number;
  readonly rescanIntervalMs: number;
}

/**
 * As often as on a real node while the agents are few. Each real agent has a processor of its own, the simulated ones share one: of many, each looks less
 * often, so that all together make no more looks per second than these.
 */
export function agentPace(nodes: number): AgentPace {
  const interval = (usualMs: number, perSecond: number): number => Math.max(usualMs, (nodes * 1_000) / perSecond);
  return {
    pollIntervalMs: interval(5_000, 100),
    holdersIntervalMs: interval(10_000, 50),
    rescanIntervalMs: interval(120_000, 20),
  };
}
