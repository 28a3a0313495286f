import type { LeaseObject } from '../market/market-objects.ts';

/** `2 of 3`: replicas that are available. Empty where the provider has not said. */
export function availableWords({ status }: LeaseObject): string {
  const services = status?.delivery?.services ?? [];
  const sum = (of: 'available' | 'count'): number => services.reduce((total, service) => total + service[of], 0);
  return services.length === 0 ? '' : `${sum('available')} of ${sum('count')}`;
}

export const urisOf = ({ status }: LeaseObject): readonly string[] => (status?.delivery?.services ?? []).flatMap(({ uris }) => uris);

/** What is wrong with it, in the provider's words. */
export const deliveryProblems = ({ status }: LeaseObject): readonly string[] => [
  ...(status?.delivery?.services ?? []).flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
  ...((status?.delivery?.refusal ?? '') === '' ? [] : [status?.delivery?.refusal ?? '']),
];
