import { type Source, sourceOf } from '@quartermaster/controller';
import { type Cache, type CacheOpener, kinds } from '@quartermaster/kube';
import type { Taint } from '../model/inventory-change.ts';
import type { ClusterNetworks } from '../networks/cluster-networks.ts';
import { clusterNetworks } from '../networks/cluster-networks.ts';
import type { ApiServerEndpoint } from '../objects/desired.ts';

interface SeenNode {
  /** The cluster has heard of it lately: whatever it says of its pods is so. */
  readonly isHeard: boolean;
  readonly isCordoned: boolean;
  /** Those that keep pods away which do not tolerate them. */
  readonly taints: readonly Taint[];
  readonly podCidrs: readonly string[];
  readonly addresses: readonly string[];
}

/** What leases need to know of nodes: whether they are heard of, and which networks are the cluster's. */
export class SeenNodes {
  /** Wakes nobody: it is there to be waited for. */
  readonly source: Source;
  readonly #cache: Cache<SeenNode>;
  readonly #configured: readonly string[];
  #networks: { readonly text: string; readonly networks: ClusterNetworks } | undefined;
  /** The networks of Services and the API servers with which no node has changed since. */
  #told: string | undefined;

  constructor(caches: CacheOpener, configured: readonly string[]) {
    this.#configured = configured;
    this.#cache = caches.open({
      name: 'nodes',
      type: kinds.nodes,
      fields: {
        spec: { unschedulable: true, taints: { key: true, value: true, effect: true }, podCIDR: true, podCIDRs: true },
        status: { conditions: { type: true, status: true }, addresses: { type: true, address: true } },
      },
      project: ({ spec, status }): SeenNode => ({
        isHeard: (status?.conditions ?? []).find(({ type }) => type === 'Ready')?.status !== 'Unknown',
        isCordoned: spec?.unschedulable === true,
        taints: (spec?.taints ?? [])
          .filter(({ effect }) => effect !== 'PreferNoSchedule')
          .map(({ key, value = '', effect }) => ({ key, value, effect })),
        podCidrs: spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR]),
        addresses: (status?.addresses ?? []).filter(({ type }) => type.endsWith('IP')).map(({ address }) => address),
      }),
    });
    this.source = sourceOf(this.#cache, () => []);
    const changed = (): void => void (this.#told = undefined);
    this.#cache.subscribe({ added: changed, updated: changed, deleted: changed });
  }

  /** One that is gone is not silent: nothing runs there. */
  isHeard(node: string): boolean {
    return this.#cache.get(node)?.value.isHeard ?? true;
  }

  /** Whether a pod may start there that tolerates these. One that is gone, silent or cordoned takes nothing. */
  isOpen(node: string, tolerated: readonly Taint[]): boolean {
    const seen = this.#cache.get(node)?.value;
    if (seen === undefined || !seen.isHeard || seen.isCordoned) return false;
    return seen.taints.every((taint) =>
      tolerated.some(({ key, value, effect }) => key === taint.key && value === taint.value && effect === taint.effect),
    );
  }

  stale(): readonly string[] {
    return this.#cache.stale() === undefined ? [] : [this.#cache.name];
  }

  /**
   * The same object while nothing changed: leases are made of it. Undefined until all of it was read: what is not known is not open to tenants. API servers need not be nodes,
   * and are kept from tenants all the same; services that may read have a policy of their own.
   */
  networks(
    serviceCidrs: readonly string[] | undefined,
    apiServers: readonly Pick<ApiServerEndpoint, 'address'>[] | undefined,
  ): ClusterNetworks | undefined {
    if (!this.#cache.status().synced || serviceCidrs === undefined || apiServers === undefined) return undefined;
    const servers = apiServers.map(({ address }) => address);
    const asked = JSON.stringify([serviceCidrs, servers]);
    if (this.#told === asked) return this.#networks?.networks;
    const nodes = [...this.#cache.entries()].map(({ value }) => value);
    const podCidrs = [...new Set(nodes.flatMap((node) => node.podCidrs))].sort();
    const nodeAddresses = [...new Set([...nodes.flatMap((node) => node.addresses), ...servers])].sort();
    const inputs = { podCidrs, nodeAddresses, serviceCidrs, configured: this.#configured };
    const text = JSON.stringify(inputs);
    if (this.#networks?.text !== text) this.#networks = { text, networks: clusterNetworks(inputs) };
    this.#told = asked;
    return this.#networks.networks;
  }
}
