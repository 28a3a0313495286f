import { parseQuantity } from '@quartermaster/kernel';
import { isFailure, type KubeClient, kinds } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import { inParallel } from '../client/in-parallel.ts';
import { loadObjects, maxObjectsPerLoad } from '../client/load-objects.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { KubeletEndpoint, SimulatedNode } from './simulated-node.ts';

export interface NodeRegistrationOptions {
  readonly client: KubeClient;
  readonly heartbeats: Heartbeats;
  readonly endpoint: () => KubeletEndpoint | undefined;
}

const maxConcurrentWrites = 16;

/** Makes the Node objects of simulated nodes, with their Leases, and takes up those that an earlier pool has left. */
export class NodeRegistration {
  readonly #options: NodeRegistrationOptions;

  constructor(options: NodeRegistrationOptions) {
    this.#options = options;
  }

  /** New nodes: by the thousand where the server is the simulated one, else one by one. */
  async add(nodes: readonly SimulatedNode[], signal: AbortSignal): Promise<void> {
    const { endpoint } = this.#options;
    for (const alike of Map.groupBy(nodes, (node) => resourcesText(node.status(endpoint()))).values()) {
      for (let start = 0; start < alike.length; start += maxObjectsPerLoad) {
        const batch = alike.slice(start, start + maxObjectsPerLoad);
        if (await this.#load(batch, signal)) continue;
        await inParallel(batch, maxConcurrentWrites, (node) => this.#create(node));
      }
    }
  }

  /** Nodes that are there. Of one that is as it was left nothing is written: its heartbeats go on by themselves. */
  async adopt(nodes: Iterable<readonly [SimulatedNode, Node]>): Promise<void> {
    await inParallel(nodes, maxConcurrentWrites, async ([node, before]) => {
      if (!this.#isCurrent(node, before)) await this.#rewrite(node);
    });
  }

  async #load(nodes: readonly SimulatedNode[], signal: AbortSignal): Promise<boolean> {
    const { client, heartbeats, endpoint } = this.#options;
    const [first] = nodes;
    if (first === undefined) return true;
    const variations = nodes.map((node) => variationOf(node.object(endpoint())));
    if (!(await loadObjects(client, { model: first.object(endpoint()), variations }, signal))) return false;
    const leases = nodes.map((node) => heartbeats.leaseOf(node));
    return await loadObjects(
      client,
      { model: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...heartbeats.leaseOf(first) }, variations: leases },
      signal,
    );
  }

  async #create(node: SimulatedNode): Promise<void> {
    const { client, heartbeats, endpoint } = this.#options;
    try {
      await client.create(kinds.nodes, node.object(endpoint()));
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error;
      await this.#rewrite(node);
      return;
    }
    await heartbeats.createLease(node);
  }

  #isCurrent(node: SimulatedNode, { metadata, status }: Node): boolean {
    const wanted = node.object(this.#options.endpoint());
    const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
    const hasLabels = Object.entries(wanted.metadata?.labels ?? {}).every(([label, value]) => metadata?.labels?.[label] === value);
    return isReady && hasLabels && resourcesText(status) === resourcesText(wanted.status) && hostOf(status) === hostOf(wanted.status);
  }

  async #rewrite(node: SimulatedNode): Promise<void> {
    const { client, heartbeats, endpoint } = this.#options;
    const body = { metadata: { labels: node.object(endpoint()).metadata?.labels } };
    await client.patch(kinds.nodes, { name: node.name }, { kind: 'merge', body });
    await heartbeats.writeStatus(node);
    await heartbeats.renewLease(node);
  }
}

type Status = Node['status'];

/** Equal for nodes with equal resources, in whatever order and units a server writes them. */
function resourcesText(status: Status): string {
  const texts = (amounts: Readonly<Record<string, string>> = {}): string[] =>
    Object.entries(amounts).map(([resource, amount]) => `${resource}=${parseQuantity(amount).nanos}`);
  return [...texts(status?.capacity).sort(), '', ...texts(status?.allocatable).sort()].join();
}

function hostOf(status: Status): string {
  const addresses = status?.addresses?.map(({ type, address }) => `${type}=${address}`) ?? [];
  return [...addresses, kubeletPortOf(status) ?? ''].join();
}

/** Where the kubelet of a node was reached when its status was written. */
export const kubeletPortOf = (status: Status): number | undefined => status?.daemonEndpoints?.kubeletEndpoint?.Port;

/** What a node does not have in common with others of the same resources. */
function variationOf({ metadata, spec, status }: Node) {
  return {
    metadata: { name: metadata?.name ?? '', labels: metadata?.labels },
    spec,
    status: { addresses: status?.addresses, nodeInfo: status?.nodeInfo },
  };
}
