import { type Clock, type Log, messageOf, pause } from '@quartermaster/kernel';
import { isFailure, type KubeWriter, kinds } from '@quartermaster/kube';
import type { KubeletEndpoint, SimulatedNode } from './simulated-node.ts';

export interface HeartbeatOptions {
  readonly client: Pick<KubeWriter, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How often each node renews its Lease. */
  readonly leaseIntervalMs: number;
  /** How often each node writes its whole status. */
  readonly statusIntervalMs: number;
  readonly endpoint: () => KubeletEndpoint | undefined;
  /** Whether the server says that nothing is known of the node. */
  readonly isCalledLost?: ((node: SimulatedNode) => boolean) | undefined;
}

const leaseNamespace = 'kube-node-lease';
/** Renewals at the same time; when the server is slower than that, nodes are late rather than requests piled up. */
const parallel = 16;

/**
 * Keeps nodes alive: each renews its Lease and its status once per interval, evenly spread over it, so that many nodes make a
 * steady small load instead of waves. Lost nodes are passed over.
 */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #nodes: readonly SimulatedNode[];
  #inFlight = 0;

  constructor(nodes: Iterable<SimulatedNode>, options: HeartbeatOptions) {
    this.#nodes = [...nodes];
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { leaseIntervalMs, statusIntervalMs } = this.#options;
    await Promise.all([
      this.#rounds(leaseIntervalMs, (node) => this.#beat(node), signal),
      this.#rounds(statusIntervalMs, (node) => this.writeStatus(node), signal),
    ]);
  }

  /** A node that was late and is called lost says that it is not. */
  async #beat(node: SimulatedNode): Promise<void> {
    await this.renewLease(node);
    if (this.#options.isCalledLost?.(node) === true) await this.writeStatus(node);
  }

  /** The node's Lease, renewed now. */
  leaseOf(node: SimulatedNode) {
    const spec = {
      holderIdentity: node.name,
      leaseDurationSeconds: Math.max(Math.ceil((this.#options.leaseIntervalMs * 4) / 1000), 1),
      renewTime: node.nowMicro(),
    };
    return { metadata: { namespace: leaseNamespace, name: node.name }, spec };
  }

  /** Of a node that has most likely none. */
  async createLease(node: SimulatedNode): Promise<void> {
    try {
      await this.#options.client.create(kinds.leases, this.leaseOf(node));
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error;
      await this.renewLease(node);
    }
  }

  /** Creates it where somebody has deleted it. */
  async renewLease(node: SimulatedNode): Promise<void> {
    const { metadata, spec } = this.leaseOf(node);
    try {
      await this.#options.client.patch(kinds.leases, metadata, { kind: 'merge', body: { spec } });
    } catch (error) {
      if (!isFailure(error, 'not-found')) throw error;
      await this.createLease(node);
    }
  }

  async writeStatus(node: SimulatedNode): Promise<void> {
    const { client, endpoint } = this.#options;
    const body = { status: node.status(endpoint()) };
    await client.patch(kinds.nodes, { name: node.name }, { kind: 'merge', body }, { subresource: 'status' });
  }

  async #rounds(intervalMs: number, beat: (node: SimulatedNode) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const tickMs = Math.max(Math.min(intervalMs / Math.max(this.#nodes.length, 1), intervalMs), 50);
    const startedAt = clock.monotonic();
    let beaten = 0;
    while (!signal.aborted) {
      await pause(clock, tickMs, signal);
      const due = Math.floor(((clock.monotonic() - startedAt) / intervalMs) * this.#nodes.length);
      // After a pause of the process, beats that were missed are not made up for: one round is all that anybody needs.
      beaten = Math.max(beaten, due - this.#nodes.length);
      for (; beaten < due && !signal.aborted; beaten += 1) {
        const node = this.#nodes[beaten % this.#nodes.length];
        if (node === undefined || node.isLost) continue;
        while (this.#inFlight >= parallel && !signal.aborted) await pause(clock, 5, signal);
        this.#inFlight += 1;
        void this.#guarded(node, beat);
      }
    }
  }

  async #guarded(node: SimulatedNode, beat: (node: SimulatedNode) => Promise<void>): Promise<void> {
    try {
      await beat(node);
    } catch (error) {
      this.#options.log.warn('heartbeat failed', { node: node.name, error: messageOf(error) });
    } finally {
      this.#inFlight -= 1;
    }
  }
}
