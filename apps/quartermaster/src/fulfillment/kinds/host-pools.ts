import { hostPoolState } from '@quartermaster/api/states';
import { listAt } from '../../text/json-path.ts';
import { age, common, name, reference, setsText, state, wantedHosts } from './columns.ts';
import { type Kind, namesOfKind } from './kind.ts';

const sets = 'spec.host_sets';

export const hostPools: Kind = {
  ...namesOfKind('HostPool'),
  summary: 'Host pools: hosts that are kept together.',
  columns: [
    name,
    state(hostPoolState),
    { header: 'HOSTS', cell: (object) => `${listAt(object, 'status.hosts').length} of ${wantedHosts(object, sets)}` },
    { header: 'HOST SETS', cell: (object, look) => setsText(object, sets, look) },
    reference('HUB', 'status.hub', 'hubs', { isPrivate: true }),
    age,
    ...common,
  ],
  stateOf: hostPoolState,
  references: [['status.hub', 'hubs']],
  sets,
};
