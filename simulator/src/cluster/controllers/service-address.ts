import { done, type Reconciler } from '@quartermaster/controller';
import { kinds, refOf } from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import { AddressPool, addressRange, ipv4ToNumber, numberToIpv4 } from './address-pool.ts';
import type { ControllerContext } from './controller-context.ts';

export interface ServiceAddressOptions {
  /** pool name -> ranges. Services of type LoadBalancer get an address from one of them, as MetalLB gives them. */
  readonly loadBalancerPools?: ReadonlyMap<string, readonly string[]> | undefined;
}

const poolAnnotations = ['metallb.io/address-pool', 'metallb.universe.tf/address-pool'];

/** Gives Services of type LoadBalancer an address. Never changes one. */
export function serviceAddressReconciler({ caches, client }: ControllerContext, options: ServiceAddressOptions = {}): Reconciler {
  const pools = new Map(
    [...(options.loadBalancerPools ?? [])].map(([name, ranges]) => [
      name,
      ranges.map(addressRange).map(({ first, last }) => new AddressPool(first, last)),
    ]),
  ); // pool name -> ranges
  const all = [...pools.values()].flat();
  const keep = (key: string, { status }: Service): void => {
    for (const { ip } of status?.loadBalancer?.ingress ?? [])
      if (ip !== undefined) for (const pool of all) pool.keep(ipv4ToNumber(ip), key);
  };
  caches.services.subscribe({
    added: ({ key, value }) => keep(key, value),
    updated: ({ key, value }) => keep(key, value),
    deleted: ({ key }) => {
      for (const pool of all) pool.releaseAll(key);
    },
  });
  return {
    name: 'simulated-service-address',
    reconcile: async (key, signal) => {
      const { metadata, spec, status } = caches.services.get(key)?.value ?? {};
      if (spec?.type !== 'LoadBalancer' || (status?.loadBalancer?.ingress ?? []).length > 0) return done;
      const named = poolAnnotations.map((annotation) => metadata?.annotations?.[annotation]).find((name) => name !== undefined);
      const [pool] = named === undefined ? all : (pools.get(named) ?? []);
      if (pool === undefined) return done;
      const body = { status: { loadBalancer: { ingress: [{ ip: numberToIpv4(pool.take(key)), ipMode: 'VIP' }] } } };
      await client.patch(kinds.services, refOf({ metadata }), { kind: 'merge', body }, { subresource: 'status', signal });
      return done;
    },
  };
}
