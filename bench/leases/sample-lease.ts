import type { Reservation } from '@quartermaster/cluster';
import { type TenantWish, tenantReservation } from '@quartermaster/cluster/testing';
import type { LeaseRange } from './protocol.ts';

const owners = 100;

/** One service with a route, a port, credentials and a secret, of one of a hundred tenants. */
export const wishOf = (index: number): TenantWish => ({
  order: { owner: `tenant${index % owners}`, dseq: BigInt(index + 1), gseq: 1, oseq: 1 },
  hosts: [`app-${index}.example.com`],
});

/** What is promised for it: a place on one of the nodes, in turn. */
export function reservationOf(index: number, nodes: readonly string[]): Reservation {
  const reservation = tenantReservation(wishOf(index));
  const node = nodes[index % nodes.length] ?? '';
  const units = reservation.plan.units.map((unit) => ({ ...unit, replicas: unit.replicas.map((replica) => ({ ...replica, node })) }));
  return { ...reservation, plan: { ...reservation.plan, units } };
}

export const indexesOf = ({ first, count }: LeaseRange): readonly number[] => Array.from({ length: count }, (_, at) => first + at);
