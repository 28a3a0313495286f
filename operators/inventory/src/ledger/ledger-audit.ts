import { NodeSums } from './amounts/node-sums.ts';
import type { NodeEntry } from './node-entry.ts';

/** One amount of one node that was not what its pods add up to. */
export interface Drift {
  readonly node: string;
  readonly resource: string;
  readonly counted: bigint;
  readonly actual: bigint;
}

export interface DriftReport {
  readonly nodes: number;
  readonly pods: number;
  /** What was found and has been put right. */
  readonly drifts: readonly Drift[];
  /** Every node was looked at since the last report that said so. */
  readonly roundComplete: boolean;
}

/**
 * Compares what was counted by adding and subtracting with what the pods add up to, a slice of nodes at a time, and puts right what differs. There
 * should never be anything to put right; that is what it is here to prove.
 */
export class LedgerAudit {
  #remaining: Iterator<NodeEntry> | undefined;
  #drifts = 0;

  /** How many amounts were put right so far. */
  get drifts(): number {
    return this.#drifts;
  }

  /** Looks at nodes until they had `atLeastPods` pods together. */
  slice(entries: ReadonlyMap<string, NodeEntry>, atLeastPods: number, repaired: (entry: NodeEntry) => void): DriftReport {
    this.#remaining ??= entries.values();
    const drifts: Drift[] = [];
    let [nodes, pods] = [0, 0];
    while (pods + nodes < atLeastPods) {
      const next = this.#remaining.next();
      if (next.done === true) {
        this.#remaining = undefined;
        return { nodes, pods, drifts, roundComplete: true };
      }
      nodes += 1;
      pods += next.value.pods.size;
      const found = repair(next.value);
      if (found.length > 0) repaired(next.value);
      drifts.push(...found);
      this.#drifts += found.length;
    }
    return { nodes, pods, drifts, roundComplete: false };
  }
}

function repair(entry: NodeEntry): readonly Drift[] {
  const actual = NodeSums.of(entry.pods);
  const drifts = [...entry.sums.differences(actual)].map(({ resource, here, there }) => ({
    node: entry.name,
    resource,
    counted: here,
    actual: there,
  }));
  if (drifts.length > 0) entry.sums = actual;
  return drifts;
}
