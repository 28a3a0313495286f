import { createHash } from 'node:crypto';

/** A host that is free and fit. */
export interface FreeHost {
  readonly id: string;
  /** Empty where it is not known: such hosts count as one rack. */
  readonly rack: string;
  readonly isReady: boolean;
}

export interface SelectionOptions {
  readonly wanted: number;
  /** rack -> how many hosts the node set has in it */
  readonly held: ReadonlyMap<string, number>;
  /**
   * Changes which of equal hosts of a rack come first. Callers that race for the same hosts use different ones after a loss, so that they do not
   * meet again. Without it the lowest ids come first.
   */
  readonly salt?: string | undefined;
}

/**
 * Chooses hosts so that the node set is spread over racks: each next host comes from the rack in which it has the fewest, of these
 * from the one with the most free hosts, of these by the rack's name; in a rack from the ready ones first. The same input gives the same choice.
 */
export function selectHosts(free: readonly FreeHost[], { wanted, held, salt }: SelectionOptions): readonly string[] {
  const order = salt === undefined ? (id: string) => id : (id: string) => createHash('sha256').update(`${salt}/${id}`).digest('hex');
  const ranked = free
    .map((host) => ({ ...host, rank: `${host.isReady ? 0 : 1}${order(host.id)}` }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  const racks = [...Map.groupBy(ranked, ({ rack }) => rack)].map(([name, hosts]) => ({ name, hosts, next: 0, held: held.get(name) ?? 0 }));
  const chosen: string[] = [];
  while (chosen.length < wanted) {
    let best: (typeof racks)[number] | undefined;
    for (const rack of racks) {
      if (rack.next < rack.hosts.length && (best === undefined || isBetter(rack, best))) best = rack;
    }
    const host = best?.hosts[best.next];
    if (best === undefined || host === undefined) break;
    best.next += 1;
    best.held += 1;
    chosen.push(host.id);
  }
  return chosen;
}

interface RackState {
  readonly name: string;
  readonly hosts: readonly FreeHost[];
  readonly next: number;
  readonly held: number;
}

function isBetter(rack: RackState, than: RackState): boolean {
  if (rack.held !== than.held) return rack.held < than.held;
  const [free, others] = [rack.hosts.length - rack.next, than.hosts.length - than.next];
  return free === others ? rack.name < than.name : free > others;
}
