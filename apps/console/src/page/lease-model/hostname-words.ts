import type { ClaimedHostnameJson, OrderIdJson } from '@quartermaster/api/cluster';
import type { State } from '@quartermaster/api/states';
import type { RowKey } from '../../filter/row-filter.ts';
import { leaseNumbers } from './lease-words.ts';

/** The lease that holds it, by the name of its order; undefined of a released one. */
export function orderOfHostname({ owner = '', lease = '' }: ClaimedHostnameJson): OrderIdJson | undefined {
  const [, dseq, gseq, oseq] = /-(\d+)-(\d+)-(\d+)$/.exec(lease) ?? [];
  return dseq === undefined ? undefined : { owner, dseq, gseq: Number(gseq), oseq: Number(oseq) };
}

const tones: Readonly<Record<string, State['tone']>> = { Claiming: 'reserved', Held: 'good', Released: 'held' };

export const hostnameState = ({ state = '' }: ClaimedHostnameJson): State => ({
  word: state === '' ? 'Unknown' : state,
  tone: tones[state] ?? 'unknown',
});

/** What the filter of hostnames can ask for. */
export const hostnameKeys: readonly RowKey<ClaimedHostnameJson>[] = [
  { name: 'hostname', note: 'its name', value: ({ hostname = '' }) => hostname },
  { name: 'tenant', note: 'the account that has it', value: ({ owner = '' }) => owner, isListed: true },
  {
    name: 'lease',
    note: 'that it belongs to',
    value: (each) => {
      const order = orderOfHostname(each);
      return order === undefined ? '' : leaseNumbers(order);
    },
  },
  { name: 'service', note: 'that it belongs to', value: ({ service = '' }) => service, isListed: true },
  {
    name: 'state',
    note: 'claiming, held or released',
    value: ({ state = '' }) => state.toLowerCase(),
    choices: ['claiming', 'held', 'released'],
  },
];
