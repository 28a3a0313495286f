import type { RunningLeaseJson } from '@quartermaster/api/cluster';
import { leaseHealth, leaseState } from '@quartermaster/api/states';
import type { RowKey } from '../../filter/row-filter.ts';
import { isExpression, parseTerms } from '../../filter/terms.ts';
import { hostnamesOf, leaseKey, nodesOf, problemsOf } from '../lease-model/lease-words.ts';
import type { LeasesAsked } from '../lease-model/use-leases.ts';

const states = ['pending', 'active', 'error', 'complete'] as const;

/** What the filter of leases can ask for. */
export const leaseKeys: readonly RowKey<RunningLeaseJson>[] = [
  { name: 'lease', note: 'owner, dseq, gseq and oseq', value: leaseKey },
  { name: 'tenant', note: 'the account that pays', value: ({ order }) => order?.owner ?? '', isListed: true },
  { name: 'state', note: 'pending, active, error or complete', value: stateName, choices: states },
  { name: 'health', note: 'health of what runs', value: ({ health }) => leaseHealth(health).word, isListed: true },
  { name: 'reason', note: 'why, by its code', value: ({ reason = '' }) => reason, isListed: true },
  { name: 'node', note: 'on which it has a pod', value: nodesOf, isListed: true },
  { name: 'service', note: 'by its name', value: ({ services = [] }) => services.map(({ name = '' }) => name), isListed: true },
  { name: 'image', note: 'that a service runs', value: ({ services = [] }) => services.map(({ image = '' }) => image), isListed: true },
  { name: 'hostname', note: 'that it holds', value: hostnamesOf },
  { name: 'namespace', note: 'that it runs in', value: ({ namespace = '' }) => namespace },
  { name: 'problem', note: 'what is wrong, in words', value: problemsOf },
];

function stateName({ state }: RunningLeaseJson): string {
  return leaseState(state).word.toLowerCase();
}

const keyNames = leaseKeys.map(({ name }) => name);
// key of the filter -> field of the request
const whole: Readonly<Record<string, keyof LeasesAsked>> = { tenant: 'owner', node: 'node', namespace: 'namespace' };

/** What of a filter the service can look for itself: whole values of its own keys. The rest is looked for in what it answers. */
export function narrowed(query: string): Pick<LeasesAsked, 'owner' | 'state' | 'node' | 'namespace'> {
  if (isExpression(query)) return {};
  const asked = parseTerms(query, keyNames).flatMap(({ key = '', text, isWhole }): readonly (readonly [string, string])[] => {
    if (key === 'state' && states.some((state) => state === text.toLowerCase())) return [['state', stateCode(text)]];
    const field = whole[key];
    return field !== undefined && isWhole && text !== '' ? [[field, text]] : [];
  });
  return Object.fromEntries(asked);
}

/** `pending` -> as the contract has it. */
export const stateCode = (state: string): string => `LEASE_RUN_STATE_${state.toUpperCase()}`;

/** Whether the service looks for all of it. */
export const isAllNarrowed = (query: string): boolean =>
  !isExpression(query) && parseTerms(query, keyNames).length === Object.keys(narrowed(query)).length;
