import type { NodeRow } from '@quartermaster/api/inventory-views';
import { nodeState } from '@quartermaster/api/states';
import type { RowKey } from '../../filter/row-filter.ts';

/** What the filter of nodes can ask for. */
export const nodeKeys: readonly RowKey<NodeRow>[] = [
  { name: 'name', note: 'its name', value: ({ name }) => name },
  { name: 'state', note: 'as the table shows it', value: ({ sale }) => nodeState(sale).word, isListed: true },
  { name: 'rack', note: 'where it stands', value: ({ rack }) => rack ?? '', isListed: true },
  {
    name: 'gpu',
    note: 'a model on it',
    // By every name that is known: the kubelet's labels and the inventory call cards differently.
    value: ({ gpus, sale }) => [...new Set([...Object.keys(sale?.models ?? {}), ...Object.keys(gpus)])],
    isListed: true,
  },
  { name: 'ready', note: 'to Kubernetes: yes or no', value: ({ isReady }) => (isReady ? 'yes' : 'no'), choices: ['yes', 'no'] },
  {
    name: 'sale',
    note: 'sellable, held-back or unknown',
    value: ({ sale }) => sale?.state ?? '',
    choices: ['sellable', 'held-back', 'unknown'],
  },
  {
    name: 'why',
    note: 'the reason against selling it',
    value: ({ sale }) => [...(sale?.why ?? []), ...((sale?.quarantined ?? 0) > 0 ? ['quarantined'] : [])],
    isListed: true,
  },
  { name: 'kubernetes', note: 'the state as Kubernetes has it', value: ({ state }) => state, isListed: true },
];
