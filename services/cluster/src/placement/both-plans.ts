import type { Plan } from './plan.ts';

/** Of a reservation that is planned anew: both plans count until it is known which of them is written. */
export function bothPlans(before: Plan, after: Plan): Plan {
  return {
    units: [...before.units, ...after.units],
    ports: Math.max(before.ports, after.ports),
    ips: Math.max(before.ips, after.ips),
  };
}

/** Whether it says where things may be, not where they go: each unit stands twice. */
export const isBothPlans = ({ units }: Plan): boolean => new Set(units.map(({ id }) => id)).size < units.length;
