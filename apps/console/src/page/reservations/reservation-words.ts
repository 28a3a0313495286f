import type { OrderIdJson, ReservationJson, ResourcesJson } from '@quartermaster/api/cluster';
import { orderText, resourceWord, amountWords as withUnit } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import { nodeHref, storageHref } from '../model/addresses.ts';
import { countOf, formatBytes, formatCores } from '../model/amounts.ts';
import { numberOf } from '../model/card-names.ts';
import { formatAgo, formatDuration } from '../model/relative-time.ts';
import { shortId } from '../model/short-id.ts';

/** The same with the account shortened in the middle. */
export const shortOrder = ({ owner = '', ...order }: OrderIdJson): string => orderText({ owner: shortId(owner), ...order });

/** An account where there is little room: its ends tell it from others. */
export const shortOwner = (owner: string): string => (owner.length <= 14 ? owner : `${owner.slice(0, 9)}…${owner.slice(-4)}`);

export const orderKey = ({ order = {} }: ReservationJson): string => orderText(order);

/** Until when it is promised. */
export function untilWords({ phase, expiresAt, bid }: Pick<ReservationJson, 'phase' | 'expiresAt' | 'bid'>, now: number): string {
  const until = momentOf(expiresAt);
  if (until === undefined && phase === 'RESERVATION_PHASE_ACTIVE') return 'until it is unreserved';
  if (until === undefined) return bid === undefined ? 'no expiry' : 'while its bid can win';
  return until > now ? `expires in ${formatDuration(until - now)}` : `expired ${formatAgo(until, now)}`;
}

/** The same under a heading that says so: `in 5 min`, `never`. */
export function untilShort(reservation: Pick<ReservationJson, 'phase' | 'expiresAt' | 'bid'>, now: number): string {
  return untilWords(reservation, now)
    .replace(/^expires in/, 'in')
    .replace(/^until it is unreserved$/, 'never')
    .replace(/^while its bid can win$/, 'with its bid');
}

/** `8 GPUs, 64 cores, 512 GiB memory, 1 TiB beta3, 2 external ports`. Empty when it is nothing. */
export function amountWords(resources: ResourcesJson = {}): string {
  const { gpus = {}, storage = {} } = resources;
  const cards = Object.values(gpus).reduce((sum, count) => sum + numberOf(count), 0);
  const said = (amount: number, text: string): readonly string[] => (amount > 0 ? [text] : []);
  const [cpu, memory, disk] = [resources.cpuMillis, resources.memoryBytes, resources.ephemeralStorageBytes].map(numberOf);
  const [ports, ips] = [resources.ports, resources.leasedIps].map(numberOf);
  return [
    ...said(cards, countOf(cards, 'GPU')),
    ...said(cpu ?? 0, `${formatCores(cpu ?? 0)} cores`),
    ...said(memory ?? 0, `${formatBytes(memory ?? 0)} ${resourceWord('memory')}`),
    ...said(disk ?? 0, `${formatBytes(disk ?? 0)} ${resourceWord('ephemeral-storage')}`),
    ...Object.entries(storage).flatMap(([name, bytes]) => said(numberOf(bytes), `${formatBytes(numberOf(bytes))} ${name}`)),
    ...said(ports ?? 0, withUnit('ports', ports ?? 0)),
    ...said(ips ?? 0, withUnit('leased-ips', ips ?? 0)),
  ].join(', ');
}

export interface PlannedNode {
  readonly node: string;
  readonly replicas: number;
}

/** The nodes of a plan, by name, with how many replicas each takes. */
export function nodesOf({ plan }: Pick<ReservationJson, 'plan'>): readonly PlannedNode[] {
  const counts = new Map<string, number>(); // node -> replicas
  for (const { node = '' } of (plan?.units ?? []).flatMap(({ replicas = [] }) => replicas)) counts.set(node, (counts.get(node) ?? 0) + 1);
  return [...counts].map(([node, replicas]) => ({ node, replicas })).toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/** `2 of 4`: replicas that run as pods which the inventory counts. */
export function podWords({ unitPods = [] }: Pick<ReservationJson, 'unitPods'>): string {
  const sum = (of: 'pods' | 'replicas'): number => unitPods.reduce((total, unit) => total + (unit[of] ?? 0), 0);
  return `${sum('pods')} of ${sum('replicas')}`;
}

/** Where a place of a condition is shown: `node/gpu-1`, `storage/beta3`; undefined for pools. */
export function placeHref(place: string): string | undefined {
  const [, kind, name = ''] = /^(node|storage)\/(.+)$/.exec(place) ?? [];
  if (kind === undefined) return undefined;
  return kind === 'node' ? nodeHref(name) : storageHref(name);
}

/** What giving it back does, as sentences with names and counts. */
export function unreserveConsequences(reservation: ReservationJson): readonly string[] {
  const { order = {}, phase, held, unitPods = [], leaseNamespace } = reservation;
  const nodes = nodesOf(reservation).map(({ node }) => node);
  const pods = unitPods.reduce((sum, unit) => sum + (unit.pods ?? 0), 0);
  const back = amountWords(held);
  const named = nodes.length > 3 ? `${nodes.slice(0, 3).join(', ')} and ${nodes.length - 3} more` : nodes.join(', ');
  return [
    `Nothing is promised for the order ${orderText(order)} any more.`,
    back === '' ? 'Nothing is given back: its pods have all of it.' : `${back} on ${named} can be promised to others at once.`,
    ...(phase === 'RESERVATION_PHASE_ACTIVE'
      ? [
          `There is a lease${leaseNamespace?.name === undefined ? '' : ` in the namespace ${leaseNamespace.name}`}: its ${countOf(pods, 'pod')} ${pods === 1 ? 'goes' : 'go'} on running, but nothing is kept for pods that are started anew.`,
        ]
      : ['A bid that relies on it can be won without a place for it.']),
  ];
}
