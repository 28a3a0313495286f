import { named } from '../model/named.ts';

/** Which of so many agents are or do so, and why; undefined when none does. Those with the same reason are named together. */
export function silenceText(
  silent: readonly { readonly node: string; readonly reason: string }[],
  what: 'do not tell how busy their GPUs are' | 'are silent',
  agents: number,
): string | undefined {
  if (silent.length === 0) return undefined;
  const byReason = Map.groupBy(silent, ({ reason }) => reason);
  const reasons = [...byReason].map(([reason, of]) => `${reason} (${named(of.map(({ node }) => node).toSorted())})`);
  return `${silent.length} of ${agents} agents ${what}: ${named(reasons, '; ')}`;
}
