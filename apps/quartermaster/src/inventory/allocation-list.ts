import { toJson } from '@bufbuild/protobuf';
import { type Allocation, AllocationSchema } from '@quartermaster/api/inventory';
import type { Listing, ListView, Look } from '../text/listing.ts';
import { listText } from '../text/table.ts';
import { quantityText } from './amount-text.ts';

const header = ['NAMESPACE', 'POD', 'NODE', 'CPU', 'MEMORY', 'RAM', 'EPHEMERAL', 'OTHER', 'DEVICES'];
const wideHeader = [...header, 'LEASE', 'UID'];

/** Who holds what. */
export function allocationView(): ListView<readonly Allocation[]> {
  return {
    list: (allocations, look): Listing => ({
      header: look.wide ? wideHeader : header,
      rows: allocations.map((each) => ({ key: each.podUid, cells: look.wide ? wideCells(each, look) : allocationCells(each, look) })),
      whenEmpty: 'No pod holds any of these resources.',
      notes: [],
    }),
    document: (allocations) => ({ allocations: allocations.map(jsonOf) }),
    objects: (allocations) => new Map(allocations.map((each) => [each.podUid, jsonOf(each)])),
  };
}

function allocationCells(each: Allocation, look: Look): readonly string[] {
  const bytes = (value: bigint): string => quantityText(value, 'bytes', look);
  return [
    each.namespace,
    each.pod,
    each.node,
    quantityText(each.cpuMillis, 'millicores', look),
    bytes(each.memoryBytes),
    bytes(each.ramBytes),
    bytes(each.ephemeralStorageBytes),
    listText(namedText(each.extended)),
    listText(each.devices),
  ];
}

function wideCells(each: Allocation, look: Look): readonly string[] {
  return [...allocationCells(each, look), listText(namedText(each.leaseLabels)), each.podUid];
}

const namedText = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${String(value)}`);

const jsonOf = (each: Allocation): unknown => toJson(AllocationSchema, each, { alwaysEmitImplicit: true });
