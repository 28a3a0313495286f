import type { CardHold, Holds, NodeHold } from './holds.ts';
import type { CardGroup, Reason } from './stock-facts.ts';

/** Where everything of a request goes. */
export interface Plan {
  /** In the order of the request. */
  readonly units: readonly PlannedUnit[];
  readonly ports: number;
  readonly ips: number;
}

export interface PlannedUnit {
  readonly id: number;
  /** What each replica's pod requests, commit levels applied. Memory includes RAM volumes. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** The class of each persistent volume, the same for all replicas: they come from one claim template. */
  readonly volumes: readonly PlannedVolume[];
  readonly replicas: readonly PlannedReplica[];
}

export interface PlannedVolume {
  readonly name: string;
  readonly class: string;
  readonly bytes: number;
  /** Undefined where an older service planned it. */
  readonly space?: PlannedSpace | undefined;
}

/** Where the bytes of a volume were known to be when it was planned: what must not be sold beside it while nobody tells of its class. */
export interface PlannedSpace {
  readonly isNodeLocal: boolean;
  readonly copies: number;
  /** Of those, how many one node may have to hold. */
  readonly copiesOnNode: number;
  /** Classes that are known to draw on other bytes. Of any other nobody could say then. */
  readonly apartFrom: readonly string[];
  /** Nodes of its replicas in whose ephemeral storage it lies; `any` where the space is the cluster's, and may be in that of some nodes. */
  readonly ephemeralNodes: readonly string[] | 'any';
}

export interface PlannedReplica {
  readonly node: string;
  readonly uid: string;
  readonly cards?: PlannedCards | undefined;
}

export interface PlannedCards extends CardHold {
  /** What they are; where the device plugin picks, each may turn out to be any of these. */
  readonly groups: readonly CardGroup[];
}

export type Placing =
  | { readonly kind: 'plan'; readonly plan: Plan }
  /** It does not fit, for certain. */
  | { readonly kind: 'refusal'; readonly reasons: readonly Reason[] }
  /** It may or may not fit: the search was ended after so many steps. */
  | { readonly kind: 'undecided'; readonly steps: number };

/** What a plan takes, for Stock.hold. */
export function holdsOf(plan: Plan): Holds {
  const nodes = new Map<string, MutableHold>();
  for (const { cpuMillis, memoryBytes, ephemeralBytes, volumes, replicas } of plan.units) {
    for (const { node, cards } of replicas) {
      let hold = nodes.get(node);
      if (hold === undefined) {
        hold = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, pods: 0, cards: [], volumes: noVolumes };
        nodes.set(node, hold);
      }
      hold.cpuMillis += cpuMillis;
      hold.memoryBytes += memoryBytes;
      hold.ephemeralBytes += ephemeralBytes;
      hold.pods += 1;
      if (cards !== undefined) hold.cards.push(cards);
      if (volumes.length > 0) hold.volumes = withVolumes(hold.volumes, volumes);
    }
  }
  return { nodes, ports: plan.ports, ips: plan.ips };
}

type MutableHold = { -readonly [Field in keyof NodeHold]: NodeHold[Field] } & { readonly cards: CardHold[] };

const noVolumes: ReadonlyMap<string, number> = new Map();

function withVolumes(before: ReadonlyMap<string, number>, volumes: readonly PlannedVolume[]): ReadonlyMap<string, number> {
  const sums = new Map(before);
  for (const volume of volumes) sums.set(volume.class, (sums.get(volume.class) ?? 0) + volume.bytes);
  return sums;
}
