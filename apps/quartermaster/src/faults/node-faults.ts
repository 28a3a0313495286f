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
    await change(this.#nodes, fault, true);
    this.#faults.set(id, fault);
    return id;
  }

  /** False when no such fault is in force. */
  async remove(id: string): Promise<boolean> {
    const fault = this.#faults.get(id);
    if (fault === undefined) return false;
    await change(this.#nodes, fault, false);
    this.#faults.delete(id);
    return true;
  }
}

/** How a fault begins and how the node is made well again. */
async function change(nodes: FaultyNodes, fault: NodeFault, isOn: boolean): Promise<void> {
  switch (fault.kind) {
    case 'node-loss':
      return isOn ? nodes.loseNode(fault.node) : await nodes.restoreNode(fault.node);
    case 'gpu-loss':
      await (isOn ? nodes.loseGpus(fault.node, fault.count) : nodes.restoreGpus(fault.node));
      return;
    case 'gpu-xid':
      return isOn ? nodes.reportXid(fault.node, fault.code, fault.count) : nodes.resetGpus(fault.node);
    case 'clock-skew':
      nodes.skewClock(fault.node, isOn ? fault.byMs : 0);
  }
}
