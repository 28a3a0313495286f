import { Option } from 'commander';
import type { Resource, Verb } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { countOption } from '../text/count-option.ts';
import { outputOption, watchOption } from '../text/show-list.ts';
import type { ExplainFitFlags } from './explain-fit.ts';
import type { GetCapacityFlags } from './get-capacity.ts';
import type { GetReservationsFlags } from './get-reservations.ts';
import { requestOptions } from './request/request-options.ts';
import type { ReserveFlags } from './reserve.ts';
import type { UnreserveFlags } from './unreserve.ts';

const exactOption = (): Option => new Option('--exact', 'print exact integers: millicores, bytes and devices').default(false);
const answerOption = (): Option => new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text');

const getReservations: Verb<GetReservationsFlags> = {
  args: '[order...]',
  options: [
    outputOption('wide', 'json', 'yaml', 'name'),
    exactOption(),
    watchOption(),
    new Option('--owner <account>', 'only those that are counted for this account'),
    new Option('--phase <phase>', 'only those that may become a lease, or that are one').choices(['pending', 'active']),
    new Option('--node <name>', 'only those with a replica planned or running on this node'),
    new Option('--condition <type>', 'only those with this condition, such as OverCommitted'),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./get-reservations.ts')).getReservations,
};

const describeReservation: Verb<ServerFlags & { readonly exact: boolean }> = {
  args: '<order>',
  summary: 'A reservation: its request, plan, amounts, pods, conditions and expiry.',
  options: [exactOption()],
  load: async () => (await import('./describe-reservation.ts')).describeReservation,
};

export const reservations: Resource = {
  server: 'cluster',
  plural: 'reservations',
  singular: 'reservation',
  aliases: ['rsv'],
  summary: 'Reservations: what is promised to whom, on which nodes and until when.',
  verbs: { get: getReservations, describe: describeReservation },
  names: async () => (await import('./reservation-names.ts')).reservationNames,
  optionValues: {
    owner: async () => (await import('./reservation-names.ts')).ownerNames,
    node: async () => (await import('./reservation-names.ts')).plannedNodes,
  },
};

const getCapacity: Verb<GetCapacityFlags> = {
  options: [outputOption('wide', 'json', 'yaml'), exactOption(), watchOption()],
  endsWhenInterrupted: true,
  load: async () => (await import('./get-capacity.ts')).getCapacity,
};

export const capacity: Resource = {
  server: 'cluster',
  plural: 'capacity',
  singular: 'capacity',
  aliases: [],
  summary: 'Capacity: what can still be sold of each resource, with what is reserved taken off, and how the cluster service is.',
  verbs: { get: getCapacity },
};

const explainFit: Verb<ExplainFitFlags> = {
  options: [
    ...requestOptions(),
    new Option('--owner <account>', 'for this account, with what it has pending (default: one that has nothing pending)'),
    countOption('--max-names <count>', 'how many nodes of a group to name (default: 10)'),
    answerOption(),
    exactOption(),
  ],
  load: async () => (await import('./explain-fit.ts')).explainFit,
};

export const fit: Resource = {
  server: 'cluster',
  plural: 'fit',
  singular: 'fit',
  aliases: [],
  summary: 'Whether a request would be placed now: where, or why not and what would be. The exit code is 1 when it does not fit.',
  verbs: { explain: explainFit },
};

export const reserve: Verb<ReserveFlags> = {
  options: [
    ...requestOptions(),
    new Option(
      '--lifetime <duration>',
      'how long it may be pending, such as 2m (default and most: cluster-pending-lifetime of the service)',
    ),
    new Option('--dry-run', 'say what would be reserved and write nothing').default(false),
    answerOption(),
  ],
  load: async () => (await import('./reserve.ts')).reserve,
};

export const unreserve: Verb<UnreserveFlags> = {
  options: [
    new Option('--uid <uid>', 'only the reservation with this UID, not one that was made anew for the order'),
    new Option('-y, --yes', 'do not ask for confirmation').default(false),
    answerOption(),
  ],
  load: async () => {
    const { unreserve: giveBack } = await import('./unreserve.ts');
    return (args, flags, output) => giveBack(args, flags, output);
  },
};
