import { toJson } from '@bufbuild/protobuf';
import { type Reservation, ReservationPhase, ReservationPhaseSchema, ReservationSchema, type Resources } from '@quartermaster/api/cluster';
import { reasonWords, reservationState, type State } from '@quartermaster/api/states';
import { partText, quantityText, type Unit, unknownText } from '../inventory/amount-text.ts';
import { ageText } from '../inventory/freshness-text.ts';
import type { Listing, ListView, Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { listText } from '../text/table.ts';
import { nodesOf } from './plan-text.ts';
import { nameOf } from './reservation-connection.ts';
import { untilText } from './time-left.ts';

const header = ['ORDER', 'STATE', 'CPU', 'MEMORY', 'GPU', 'STORAGE', 'PODS', 'NODES', 'EXPIRES', 'AGE'];
const wideHeader = [...header, 'OWNER', 'EPHEMERAL', 'PORTS', 'ADDRESSES', 'NAMESPACE', 'TERM', 'UID'];
const nodesShown = 3;

/** Reservations, each with what its pods have of what it is promised. */
export function reservationView({ isFiltered }: { readonly isFiltered: boolean }): ListView<readonly Reservation[]> {
  return {
    list: (reservations, look): Listing => ({
      header: look.wide ? wideHeader : header,
      rows: reservations.map((each) => ({ key: nameOf(each), cells: look.wide ? wideCells(each, look) : cellsOf(each, look) })),
      whenEmpty: isFiltered ? 'No reservation matches.' : 'Nothing is reserved.',
      notes: reservations.length === 0 ? [] : ['Amounts are allocated of promised.\n'],
    }),
    document: (reservations) => ({ reservations: reservations.map(jsonOf) }),
    objects: (reservations) => new Map(reservations.map((each) => [nameOf(each), jsonOf(each)])),
    names: (reservations) => reservations.map(nameOf),
  };
}

/** The state with what a person should know of: `Active, over-committed`. */
export function stateOf({ phase, confirmed, conditions }: Pick<Reservation, 'phase' | 'confirmed' | 'conditions'>): State {
  const state = reservationState({ phase: ReservationPhaseSchema.value[phase]?.name, confirmed });
  const words = [...new Set(conditions.map(({ type }) => reasonWords(type)))];
  return words.length === 0 ? state : { word: [state.word, ...words].join(', '), tone: 'held' };
}

/** When a pending one is given back; one that was made for a bid, with that. An active one stays until it is unreserved. */
export const expiryText = ({ expiresAt, phase, bid }: Pick<Reservation, 'expiresAt' | 'phase' | 'bid'>, now: number): string => {
  if (expiresAt !== undefined) return untilText(expiresAt, now);
  if (phase === ReservationPhase.ACTIVE) return 'never';
  return bid === undefined ? '-' : 'with its bid';
};

/** `2 of 3`: replicas that run as pods. */
export function podsText({ unitPods }: Pick<Reservation, 'unitPods'>): string {
  const sum = (of: 'pods' | 'replicas'): number => unitPods.reduce((total, unit) => total + unit[of], 0);
  return `${sum('pods')} of ${sum('replicas')}`;
}

function cellsOf(each: Reservation, look: Look): readonly string[] {
  return [
    nameOf(each),
    stateText(stateOf(each), look.paint),
    partOf(each, ({ cpuMillis }) => cpuMillis, 'millicores', look),
    partOf(each, ({ memoryBytes }) => memoryBytes, 'bytes', look),
    partOf(each, ({ gpus }) => sumOf(gpus), 'devices', look),
    storageText(each, look),
    podsText(each),
    shortened(nodesOf(each.plan)),
    expiryText(each, look.now),
    ageText(each.createdAt, look.now),
  ];
}

function wideCells(each: Reservation, look: Look): readonly string[] {
  return [
    ...cellsOf(each, look),
    each.owner === '' ? unknownText : each.owner,
    partOf(each, ({ ephemeralStorageBytes }) => ephemeralStorageBytes, 'bytes', look),
    partOf(each, ({ ports }) => ports, 'devices', look),
    partOf(each, ({ leasedIps }) => leasedIps, 'devices', look),
    each.leaseNamespace?.name ?? '-',
    each.term.toString(),
    each.uid,
  ];
}

/** `-` where none is promised. */
function partOf({ promised, allocated }: Reservation, of: (resources: Resources) => bigint, unit: Unit, look: Look): string {
  if (promised === undefined) return unknownText;
  const whole = of(promised);
  const part = allocated === undefined ? undefined : of(allocated);
  if (whole === 0n && (part ?? 0n) === 0n) return '-';
  return part === undefined ? `${unknownText} of ${quantityText(whole, unit, look)}` : partText(part, whole, unit, look);
}

const sumOf = (amounts: Readonly<Record<string, bigint>>): bigint => Object.values(amounts).reduce((sum, each) => sum + each, 0n);

function storageText({ promised }: Reservation, look: Look): string {
  if (promised === undefined) return unknownText;
  const classes = Object.entries(promised.storage).filter(([, bytes]) => bytes > 0n);
  return listText(classes.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, bytes]) => `${name} ${quantityText(bytes, 'bytes', look)}`));
}

function shortened(nodes: readonly string[]): string {
  const more = nodes.length - nodesShown;
  return listText(more > 0 ? [...nodes.slice(0, nodesShown), `${more} more`] : nodes);
}

const jsonOf = (each: Reservation): unknown => toJson(ReservationSchema, each, { alwaysEmitImplicit: true });
