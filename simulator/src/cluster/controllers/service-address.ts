import { done, type Reconciler } from '@quartermaster/controller';
import { kinds, refOf } from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import type { ControllerContext } from './controller-context.ts';
import { type AddressWish, LoadBalancerAddresses } from './load-balancer-addresses.ts';

export interface ServiceAddressOptions {
  /** pool name -> ranges. Services of type LoadBalancer get an address from one of them, as MetalLB gives them. */
  readonly loadBalancerPools?: ReadonlyMap<string, readonly string[]> | undefined;
}

export interface ServiceAddressReconciler extends Reconciler {
  /** Services that wait for an address that another one has: each change of a Service may be its end. */
  waiting(): readonly string[];
}

/** Gives Services of type LoadBalancer an address, which they keep unless they ask for another one. */
export function serviceAddressReconciler(
  { caches, client }: ControllerContext,
  { loadBalancerPools = new Map() }: ServiceAddressOptions = {},
): ServiceAddressReconciler {
  const addresses = new LoadBalancerAddresses(loadBalancerPools);
  const waiting = new Set<string>();
  caches.services.subscribe({
    added: ({ key, value }) => {
      const address = addressOf(value);
      if (address !== undefined) addresses.keep(key, address, wishOf(value));
    },
    updated: () => {},
    deleted: ({ key }) => {
      addresses.release(key);
      waiting.delete(key);
    },
  });
  return {
    name: 'simulated-service-address',
    waiting: () => [...waiting],
    reconcile: async (key, signal) => {
      const service = caches.services.get(key)?.value;
      if (service?.spec?.type !== 'LoadBalancer' || loadBalancerPools.size === 0) return done;
      const [has, wish] = [addressOf(service), wishOf(service)];
      // What it was given just now may not be seen yet.
      const had = has ?? addresses.of(key);
      const stays = had !== undefined && (wish.address ?? had) === had;
      if (stays) addresses.keep(key, had, wish);
      else addresses.release(key);
      const address = stays ? had : addresses.give(key, wish);
      if (address === undefined) waiting.add(key);
      else waiting.delete(key);
      if (address === has) return done;
      const body = { status: { loadBalancer: { ingress: address === undefined ? null : [{ ip: address, ipMode: 'VIP' }] } } };
      await client.patch(kinds.services, refOf(service), { kind: 'merge', body }, { subresource: 'status', signal });
      return done;
    },
  };
}

const addressOf = ({ status }: Service): string | undefined => status?.loadBalancer?.ingress?.[0]?.ip;

function wishOf({ metadata, spec }: Service): AddressWish {
  const annotated = (name: string): string | undefined =>
    metadata?.annotations?.[`metallb.io/${name}`] ?? metadata?.annotations?.[`metallb.universe.tf/${name}`];
  return {
    sharingKey: annotated('allow-shared-ip'),
    ports: (spec?.ports ?? []).map(({ port, protocol = 'TCP' }) => `${port}/${protocol}`),
    pool: annotated('address-pool'),
    address: annotated('loadBalancerIPs'),
  };
}
