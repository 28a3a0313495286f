import { done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import { AddressPool, addressRange, ipv4ToNumber, numberToIpv4 } from './address-pool.ts';
import type { ControllerContext } from './controller-context.ts';

export interface ServiceAddressOptions {
  /** pool name -> ranges. Services of type LoadBalancer get an address from one of them, as MetalLB gives them. */
  readonly loadBalancerPools?: ReadonlyMap<string, readonly string[]> | undefined;
}

const poolAnnotations = ['metallb.io/address-pool', 'metallb.universe.tf/address-pool'];

/** Gives Services of type LoadBalancer an address. Never changes one. */
export class ServiceAddressReconciler implements Reconciler {
  readonly name = 'simulated-service-address';
  readonly #context: ControllerContext;
  readonly #pools: ReadonlyMap<string, readonly AddressPool[]>; // pool name -> ranges

  constructor(context: ControllerContext, options: ServiceAddressOptions = {}) {
    this.#context = context;
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
    if (service === undefined) return done;
    const { client } = this.#context;
    const { namespace, name = '' } = service.metadata ?? {};
    const ip = this.#missingLoadBalancer(key, service);
    if (ip !== undefined) {
      const body = { status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } } };
      await client.patch(kinds.services, { namespace, name }, { kind: 'merge', body }, { subresource: 'status', signal });
    }
    return done;
  }

  #keep(key: string, { status }: Service): void {
    for (const { ip } of status?.loadBalancer?.ingress ?? []) {
      if (ip !== undefined) for (const pool of this.#allPools()) pool.keep(ipv4ToNumber(ip), key);
    }
  }

  #release(key: string): void {
    for (const pool of this.#allPools()) pool.releaseAll(key);
  }

  #allPools(): readonly AddressPool[] {
    return [...this.#pools.values()].flat();
  }

  #missingLoadBalancer(key: string, { metadata, spec, status }: Service): string | undefined {
    if (spec?.type !== 'LoadBalancer' || (status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
    const named = poolAnnotations.map((annotation) => metadata?.annotations?.[annotation]).find((name) => name !== undefined);
    const pools = named === undefined ? this.#allPools() : (this.#pools.get(named) ?? []);
    const [pool] = pools;
    return pool === undefined ? undefined : numberToIpv4(pool.take(key));
  }
}
