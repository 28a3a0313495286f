import type { ReservationJson } from '@quartermaster/api/cluster';
import { reservationState } from '@quartermaster/api/states';
import type { RowKey } from '../../filter/row-filter.ts';
import { isExpression, parseTerms } from '../../filter/terms.ts';
import { nodesOf, orderKey } from './reservation-words.ts';
import type { ReservationsAsked } from './use-reservations.ts';

/** What the filter of reservations can ask for. */
export const reservationKeys: readonly RowKey<ReservationJson>[] = [
  { name: 'order', note: 'owner, dseq, gseq and oseq', value: orderKey },
  { name: 'owner', note: 'the account that ordered', value: ({ owner = '' }) => owner, isListed: true },
  { name: 'phase', note: 'pending or active', value: phaseOf, choices: ['pending', 'active'] },
  { name: 'node', note: 'that it is planned on', value: (each) => nodesOf(each).map(({ node }) => node), isListed: true },
  {
    name: 'condition',
    note: 'what is the matter with it',
    value: ({ conditions = [] }) => conditions.map(({ type = '' }) => type),
    isListed: true,
  },
  { name: 'state', note: 'as the table shows it', value: (each) => reservationState(each).word, isListed: true },
  { name: 'namespace', note: 'of its lease', value: ({ leaseNamespace }) => leaseNamespace?.name ?? '' },
];

function phaseOf({ phase }: ReservationJson): string {
  return phase === 'RESERVATION_PHASE_ACTIVE' ? 'active' : phase === 'RESERVATION_PHASE_PENDING' ? 'pending' : '';
}

const keyNames = reservationKeys.map(({ name }) => name);
const whole = new Set(['owner', 'node', 'condition']);

/** What of a filter the service can look for itself: whole values of its own keys. The rest is looked for in what it answers. */
export function narrowed(query: string): Pick<ReservationsAsked, 'owner' | 'phase' | 'node' | 'condition'> {
  if (isExpression(query)) return {};
  const terms = parseTerms(query, keyNames);
  const asked = terms.flatMap(({ key = '', text, isWhole }): readonly (readonly [string, string])[] => {
    if (key === 'phase' && text !== '') return [[key, phaseName(text)]];
    return whole.has(key) && isWhole && text !== '' ? [[key, text]] : [];
  });
  return Object.fromEntries(asked);
}

/** `pending` -> as the contract has it. One that there is not stays as it is, and is refused by the service. */
export const phaseName = (phase: string): string => `RESERVATION_PHASE_${phase.toUpperCase()}`;

/** Whether the service looks for all of it. */
export function isAllNarrowed(query: string): boolean {
  return !isExpression(query) && parseTerms(query, keyNames).length === Object.keys(narrowed(query)).length;
}
