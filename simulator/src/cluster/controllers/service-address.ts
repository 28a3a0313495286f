import { done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import { AddressPool, addressRange, ipv4ToNumber, numberToIpv4 } from './address-pool.ts';
import type { ControllerContext } from './controller-context.ts';

export interface ServiceAddressOptions {
  /** Default 10.96.0.0/16. */
  readonly clusterNetwork?: string;
  /** pool name -> ranges. Services of type LoadBalancer get an address from one of them, as MetalLB gives them. */
  readonly loadBalancerPools?: ReadonlyMap<string, readonly string[]>;
}

const poolAnnotations = ['metallb.io/address-pool', 'metallb.universe.tf/address-pool'];
/** As of the simulated cluster's start, addresses that Services have already are taken before any is given away. */
const firstNodePort = 30_000;
const lastNodePort = 32_767;

/** Gives Services their cluster address, node ports and load-balancer address where the API server does not. Never changes one. */
export class ServiceAddressReconciler implements Reconciler {
  readonly name = 'simulated-service-address';
  readonly #context: ControllerContext;
  readonly #clusterAddresses: AddressPool;
  readonly #nodePorts = new AddressPool(firstNodePort, lastNodePort);
  readonly #pools: ReadonlyMap<string, readonly AddressPool[]>; // pool name -> ranges

  constructor(context: ControllerContext, options: ServiceAddressOptions = {}) {
    const { first, last } = addressRange(options.clusterNetwork ?? '10.96.0.0/16');
    this.#context = context;
    // The network itself, the API server's own address and those of the cluster's DNS stay free.
    this.#clusterAddresses = new AddressPool(first + 20, last - 1);
    this.#pools = new Map(
      [...(options.loadBalancerPools ?? [])].map(([name, ranges]) => [
        name,
        ranges.map((range) => {
          const bounds = addressRange(range);
          return new AddressPool(bounds.first, bounds.last);
        }),
      ]),
    );
    context.caches.services.subscribe({
      added: ({ key, value }) => this.#keep(key, value),
      updated: ({ key, value }) => this.#keep(key, value),
      deleted: ({ key }) => this.#release(key),
    });
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const service = this.#context.caches.services.get(key)?.value;
    if (service === undefined || service.spec?.type === 'ExternalName') return done;
    const { client } = this.#context;
    const { namespace, name = '', resourceVersion } = service.metadata ?? {};
    const spec = this.#missingSpec(key, service);
    if (spec !== undefined) {
      const body = { metadata: { resourceVersion }, spec };
      await client.patch(kinds.services, { namespace, name }, { kind: 'merge', body }, { signal });
      return done;
    }
    const ip = this.#missingLoadBalancer(key, service);
    if (ip !== undefined) {
      const body = { status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } } };
      await client.patch(kinds.services, { namespace, name }, { kind: 'merge', body }, { subresource: 'status', signal });
    }
    return done;
  }

  #keep(key: string, { spec, status }: Service): void {
    if (spec?.clusterIP !== undefined) this.#clusterAddresses.keep(ipv4ToNumber(spec.clusterIP), key);
    for (const { nodePort } of spec?.ports ?? []) if (nodePort !== undefined) this.#nodePorts.keep(nodePort, key);
    for (const { ip } of status?.loadBalancer?.ingress ?? []) {
      if (ip !== undefined) for (const pool of this.#allPools()) pool.keep(ipv4ToNumber(ip), key);
    }
  }

  #release(key: string): void {
    for (const pool of [this.#clusterAddresses, this.#nodePorts, ...this.#allPools()]) pool.releaseAll(key);
  }

  #allPools(): readonly AddressPool[] {
    return [...this.#pools.values()].flat();
  }

  #missingSpec(key: string, { spec }: Service): object | undefined {
    const needsAddress = spec?.clusterIP === undefined || spec.clusterIP === '';
    const isPublished = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
    const needsPorts = isPublished && (spec?.ports ?? []).some(({ nodePort = 0 }) => nodePort === 0);
    if (!needsAddress && !needsPorts) return undefined;
    const clusterIP = needsAddress ? numberToIpv4(this.#clusterAddresses.take(key)) : undefined;
    const ports = (spec?.ports ?? []).map((port) => ((port.nodePort ?? 0) === 0 ? { ...port, nodePort: this.#nodePorts.take(key) } : port));
    return {
      ...(clusterIP === undefined ? {} : { clusterIP, clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }),
      ...(needsPorts ? { ports } : {}),
    };
  }

  #missingLoadBalancer(key: string, { metadata, spec, status }: Service): string | undefined {
    if (spec?.type !== 'LoadBalancer' || (status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
    const named = poolAnnotations.map((annotation) => metadata?.annotations?.[annotation]).find((name) => name !== undefined);
    const pools = named === undefined ? this.#allPools() : (this.#pools.get(named) ?? []);
    const wanted = spec.loadBalancerIP ?? '';
    for (const pool of pools) {
      if (wanted === '') return numberToIpv4(pool.take(key));
      const number = ipv4ToNumber(wanted);
      if (pool.holderOf(number) !== undefined) return undefined;
      pool.keep(number, key);
      if (pool.holderOf(number) === key) return wanted;
    }
    return undefined;
  }
}
