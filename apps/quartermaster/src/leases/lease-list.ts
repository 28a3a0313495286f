import { toJson } from '@bufbuild/protobuf';
import { LeaseHealthSchema, LeaseRunStateSchema, type RunningLease, RunningLeaseSchema } from '@quartermaster/api/cluster';
import { leaseHealth, leaseState, monthText, type State } from '@quartermaster/api/states';
import { ageText } from '../inventory/freshness-text.ts';
import type { Listing, ListView, Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { listText } from '../text/table.ts';
import { type FoundLeases, nameOf } from './lease-connection.ts';

const header = ['LEASE', 'STATE', 'HEALTH', 'AVAILABLE', 'NODES', 'GPUS', 'HOSTNAMES', 'PER MONTH', 'AGE'];
const wideHeader = [...header, 'REASON', 'SERVICES', 'MARKET', 'NAMESPACE', 'MANIFEST'];
const shown = 3;

/** Leases of this provider, each with what runs of it. */
export function leaseView({ isFiltered }: { readonly isFiltered: boolean }): ListView<FoundLeases> {
  return {
    list: (found, look): Listing => ({
      header: look.wide ? wideHeader : header,
      rows: found.leases.map((each) => ({ key: nameOf(each), cells: look.wide ? wideCells(each, look) : cellsOf(each, look) })),
      whenEmpty: isFiltered ? 'No lease matches.' : 'This provider has no leases.',
      notes: notesOf(found),
    }),
    document: ({ leases }) => ({ leases: leases.map(jsonOf) }),
    objects: ({ leases }) => new Map(leases.map((each) => [nameOf(each), jsonOf(each)])),
    names: ({ leases }) => leases.map(nameOf),
  };
}

export const stateOf = ({ state }: RunningLease): State => leaseState(LeaseRunStateSchema.value[state]?.name);
export const healthOf = ({ health }: RunningLease): State => leaseHealth(LeaseHealthSchema.value[health]?.name);

/** `2 of 3`: replicas that are available. */
export function availableText({ services }: Pick<RunningLease, 'services'>): string {
  const sum = (of: 'available' | 'count'): number => services.reduce((total, service) => total + service[of], 0);
  return services.length === 0 ? '-' : `${sum('available')} of ${sum('count')}`;
}

/** Nodes that something of it runs on, by name. */
export const nodesOf = ({ services }: RunningLease): readonly string[] =>
  [...new Set(services.flatMap(({ pods }) => pods.flatMap(({ node }) => (node === '' ? [] : [node]))))].toSorted();

/** When this provider got it; before that is known, when it was ordered. */
function leasedAt({ phases }: RunningLease) {
  const at = (wanted: string) => phases.find(({ name }) => name === wanted)?.at;
  return at('lease') ?? at('order');
}

function cellsOf(lease: RunningLease, { now, paint }: Look): readonly string[] {
  const { services, hostnames, price } = lease;
  const gpus = services.reduce((sum, { pods }) => sum + pods.reduce((total, pod) => total + pod.gpus, 0), 0);
  return [
    nameOf(lease),
    stateText(stateOf(lease), paint),
    stateText(healthOf(lease), paint),
    availableText(lease),
    shortened(nodesOf(lease)),
    gpus === 0 ? '-' : String(gpus),
    shortened(hostnames.flatMap(({ hostname, state }) => (state === 'held' ? [hostname] : []))),
    (price && monthText(price)) ?? '-',
    ageText(leasedAt(lease), now),
  ];
}

function wideCells(lease: RunningLease, look: Look): readonly string[] {
  const { reason, services, marketState, namespace, manifestHash } = lease;
  return [
    ...cellsOf(lease, look),
    reason === '' ? '-' : reason,
    listText(services.map(({ name }) => name)),
    marketState === '' ? '?' : marketState,
    namespace === '' ? '-' : namespace,
    manifestHash === '' ? '-' : manifestHash.slice(0, 12),
  ];
}

function shortened(names: readonly string[]): string {
  const more = names.length - shown;
  return listText(more > 0 ? [...names.slice(0, shown), `${more} more`] : names);
}

function notesOf({ stale, strangers }: FoundLeases): readonly string[] {
  const ignored = strangers.map(({ subject, message }) => `ignored: ${subject}: ${message}\n`).join('');
  const old = stale.length === 0 ? '' : `stale: ${stale.join(', ')}: showing the last known state\n`;
  return [ignored, old].filter((text) => text !== '');
}

const jsonOf = (each: RunningLease): unknown => toJson(RunningLeaseSchema, each, { alwaysEmitImplicit: true });
