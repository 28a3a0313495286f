import type { JsonObject } from '@bufbuild/protobuf';
import { type Clock, systemClock } from '@quartermaster/kernel';
import { readStream } from '../gateway/read-stream.ts';
import { textAt } from '../text/json-path.ts';
import { KeptColumns } from '../text/kept-columns.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { type GatewayFlags, leaseAccess } from './lease-access.ts';

export interface LeaseEventsFlags extends GatewayFlags {
  readonly follow: boolean;
  readonly output: 'table' | 'json';
}

const header = ['TYPE', 'REASON', 'OBJECT', 'NOTE'];
/** What most events need, so that the columns of those that come later stand below. */
const widths = ['-'.repeat(7), '-'.repeat(18), '-'.repeat(32)];

/** Prints what Kubernetes says of the objects of a lease. Following, until the signal aborts or the right to it ends. */
export async function leaseEvents(
  [name = '']: readonly string[],
  flags: LeaseEventsFlags,
  { out, err }: Output,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const { follow, output } = flags;
  const rows: (readonly string[])[] = [];
  const columns = new KeptColumns();
  columns.widen([header, widths]);
  const take = (event: JsonObject): void => {
    if (output === 'json') out.write(`${JSON.stringify(event)}\n`);
    else if (!follow) rows.push(cells(event));
    else out.write(columns.text([cells(event)]));
  };
  const options = {
    open: leaseAccess(flags, name, { scopes: ['events'] }, (text) => (output === 'table' ? err.write(text) : undefined)),
    target: () => `/kubeevents?follow=${follow}`,
    warn: (text: string) => void err.write(`quartermaster: ${text}\n`),
  };
  if (follow && output === 'table') out.write(columns.text([header]));
  await readStream({ ...options, take, follow, repeats: true, clock }, signal);
  if (output === 'json' || follow) return;
  out.write(rows.length === 0 ? 'There are no events: Kubernetes forgets them after an hour.\n' : table(header, rows));
}

const cells = (event: JsonObject): readonly string[] => [
  textAt(event, 'type'),
  textAt(event, 'reason'),
  `${textAt(event, 'object.kind')}/${textAt(event, 'object.name')}`,
  textAt(event, 'note').replaceAll(/\s+/g, ' '),
];
