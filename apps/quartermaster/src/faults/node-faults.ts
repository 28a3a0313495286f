import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';

/** What can go wrong with one simulated node. */
export const nodeFaultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('node-loss'), node: z.string().min(1) }),
  z.strictObject({ kind: z.literal('gpu-loss'), node: z.string().min(1), count: z.int().positive() }),
  z.strictObject({
    kind: z.literal('gpu-xid'),
    node: z.string().min(1),
    code: z.int().positive().max(999),
    count: z.int().positive(),
  }),
  z.strictObject({ kind: z.literal('clock-skew'), node: z.string().min(1), byMs: z.int() }),
]);
export type NodeFault = z.infer<typeof nodeFaultSchema>;

/** The simulated nodes, as far as faults need them. All throw a `StatusError` for a node that there is not. */
export interface FaultyNodes {
  loseNode(name: string): void;
  restoreNode(name: string): Promise<void>;
  loseGpus(name: string, count: number): Promise<unknown>;
  restoreGpus(name: string): Promise<void>;
  reportXid(name: string, code: number, count: number): void;
  resetGpus(name: string): void;
  skewClock(name: string, skewMs: number): void;
}

/** The faults of nodes that are in force. Each node has at most one of each kind; removing one makes the node well again. */
export class NodeFaults {
  readonly #nodes: FaultyNodes;
  readonly #faults = new Map<string, NodeFault>(); // id -> fault

  constructor(nodes: FaultyNodes) {
    this.#nodes = nodes;
  }

  list(): readonly { readonly id: string; readonly fault: NodeFault }[] {
    return [...this.#faults].map(([id, fault]) => ({ id, fault }));
  }

  /** Resolves with the id under which it can be removed. */
  async add(fault: NodeFault): Promise<string> {
    const id = `${fault.kind}:${fault.node}`;
    if (this.#faults.has(id)) {
      throw new StatusError('already_exists', `${fault.node} has the fault ${fault.kind} already: remove ${id} first`);
    }
    await this.#inflict(fault);
    this.#faults.set(id, fault);
    return id;
  }

  /** False when no such fault is in force. */
  async remove(id: string): Promise<boolean> {
    const fault = this.#faults.get(id);
    if (fault === undefined) return false;
    await this.#mend(fault);
    this.#faults.delete(id);
    return true;
  }

  async #inflict(fault: NodeFault): Promise<void> {
    switch (fault.kind) {
      case 'node-loss':
        this.#nodes.loseNode(fault.node);
        return;
      case 'gpu-loss':
        await this.#nodes.loseGpus(fault.node, fault.count);
        return;
      case 'gpu-xid':
        this.#nodes.reportXid(fault.node, fault.code, fault.count);
        return;
      case 'clock-skew':
        this.#nodes.skewClock(fault.node, fault.byMs);
    }
  }

  async #mend(fault: NodeFault): Promise<void> {
    switch (fault.kind) {
      case 'node-loss':
        await this.#nodes.restoreNode(fault.node);
        return;
      case 'gpu-loss':
        await this.#nodes.restoreGpus(fault.node);
        return;
      case 'gpu-xid':
        this.#nodes.resetGpus(fault.node);
        return;
      case 'clock-skew':
        this.#nodes.skewClock(fault.node, 0);
    }
  }
}
