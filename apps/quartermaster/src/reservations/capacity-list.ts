import { toJson } from '@bufbuild/protobuf';
import { type CardGroup, type GetStatusResponse, GetStatusResponseSchema, type ReservableAmount } from '@quartermaster/api/cluster';
import { quantityText, sizeText, type Unit, unknownText } from '../inventory/amount-text.ts';
import { ageText } from '../inventory/freshness-text.ts';
import type { Listing, ListingRow, ListView, Look } from '../text/listing.ts';
import { namedResource } from './resource-text.ts';

const header = ['RESOURCE', 'ALLOCATABLE', 'ALLOCATED', 'RESERVED', 'SELLABLE', 'OVER-COMMITTED'];
const wideHeader = [...header, 'PENDING', 'ACTIVE', 'HEADROOM'];

/** What can still be promised, and who has the rest, as the cluster service knows it. */
export function capacityView(): ListView<GetStatusResponse> {
  return {
    list: (status, look): Listing => ({
      header: look.wide ? wideHeader : header,
      rows: rowsOf(status).map((each) => rowOf(each, look)),
      whenEmpty: 'The cluster service has not read the inventory yet: ask again in a moment.',
      notes: notesOf(status, look),
    }),
    document: jsonOf,
    objects: (status) => new Map([['status', jsonOf(status)]]),
  };
}

interface CapacityRow {
  readonly label: string;
  readonly unit: Unit;
  /** Undefined while nobody knows. */
  readonly amount: ReservableAmount | undefined;
  /** Why nothing of it can be promised. */
  readonly refusal?: { readonly message: string } | undefined;
}

function rowsOf({ availability }: GetStatusResponse): readonly CapacityRow[] {
  if (availability === undefined) return [];
  const { cpu, memory, ephemeralStorage, gpus, storage, ports, leasedIps } = availability;
  return [
    { ...namedResource('cpu'), amount: cpu },
    { ...namedResource('memory'), amount: memory },
    { ...namedResource('ephemeral-storage'), amount: ephemeralStorage },
    ...gpus.map(({ group, amount }) => ({ label: groupText(group), unit: 'devices' as const, amount })),
    ...storage.map(({ storageClass, amount, refusal }) => ({ ...namedResource(`storage/${storageClass}`), amount, refusal })),
    { ...namedResource('ports'), amount: ports },
    { ...namedResource('leased-ips'), amount: leasedIps?.amount, refusal: leasedIps?.refusal },
  ];
}

function groupText(group: CardGroup | undefined): string {
  const { vendor = '', model = '', interface: bus = '', memoryBytes = 0n } = group ?? {};
  const parts = [vendor, model, bus, memoryBytes === 0n ? '' : sizeText(memoryBytes, { exact: false })];
  return parts.filter((part) => part !== '').join(' ');
}

function rowOf({ label, unit, amount, refusal }: CapacityRow, look: Look): ListingRow {
  const text = (value: bigint | undefined): string => (value === undefined ? unknownText : quantityText(value, unit, look));
  const over = amount?.overcommitted === 0n ? '-' : text(amount?.overcommitted);
  const reserved = amount && amount.pending + amount.active;
  const sellable = refusal === undefined ? text(amount?.available) : look.paint.warn('none');
  const cells = [label, text(amount?.allocatable), text(amount?.allocated), text(reserved), sellable, over];
  return { key: label, cells: look.wide ? [...cells, ...[amount?.pending, amount?.active, amount?.headroom].map(text)] : cells };
}

function notesOf(status: GetStatusResponse, look: Look): readonly string[] {
  const { inventory, leader, term, pending, active, overCommitted } = status;
  const refusals = rowsOf(status).flatMap(({ label, refusal }) => (refusal === undefined ? [] : [`${label}: ${refusal.message}\n`]));
  const over = overCommitted === 0n ? '' : `, ${overCommitted} of them over-committed`;
  const contact = inventory?.lastContactAt === undefined ? 'never heard of' : `heard of ${ageText(inventory.lastContactAt, look.now)} ago`;
  const stale =
    inventory?.fresh === true ? '' : `Nothing new is promised: ${inventory?.reason?.message ?? 'the inventory is not known yet'}\n`;
  return [
    ...(refusals.length === 0 ? [] : [refusals.join('')]),
    [
      `Reservations: ${pending?.count ?? 0n} pending and ${active?.count ?? 0n} active${over}.\n`,
      `Leader: ${leader === '' ? 'none, so that nothing can be reserved' : `${leader}, term ${term}`}. Inventory: ${contact}.\n`,
      stale,
    ].join(''),
    `${look.paint.dim('Sellable is the sum over all nodes: "quartermaster explain fit" tells whether a request finds a place.')}\n`,
  ];
}

const jsonOf = (status: GetStatusResponse): unknown => toJson(GetStatusResponseSchema, status, { alwaysEmitImplicit: true });
