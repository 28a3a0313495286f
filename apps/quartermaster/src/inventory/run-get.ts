import type { Allocation, Snapshot } from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import { type Look, listingText, type Subject } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { appendingDisplay, machineDisplay, terminalDisplay, type WatchDisplay } from '../text/watch-display.ts';
import { allocationSubject } from './allocation-subject.ts';
import { gpuSubject } from './gpu-subject.ts';
import { askInventory, connectInventory, type InventoryClient } from './inventory-connection.ts';
import { findServer } from './inventory-server.ts';
import { nodeSubject } from './node-subject.ts';
import { type AllocationFilter, readAllocations, readSnapshot } from './read-inventory.ts';
import { storageSubject } from './storage-subject.ts';
import { watchInventory } from './watch-inventory.ts';

export interface GetFlags extends ServerFlags {
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
  readonly exact: boolean;
  readonly watch: boolean;
}

/** What is asked for: how it is read once, and how it follows from a new inventory. */
interface Source<State> {
  readonly subject: Subject<State>;
  readonly read: (client: InventoryClient) => Promise<State>;
  readonly follow: (snapshot: Snapshot, client: InventoryClient) => Promise<State> | State;
}

/** Nodes by name, or all. Those that do not exist are an error after the others were printed. */
export async function getNodes(names: readonly string[], flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  const snapshot = await get(ofSnapshot(nodeSubject(names)), flags, output, signal);
  if (snapshot === undefined) return;
  const known = new Set(snapshot.nodes.map(({ name }) => name));
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return;
  const text = missing.length === 1 ? `node ${missing[0]} does not exist` : `nodes ${missing.join(', ')} do not exist`;
  throw new StatusError('not_found', `${text}: "quartermaster get nodes" lists those that do`);
}

export async function getGpus(flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  await get(ofSnapshot(gpuSubject()), flags, output, signal);
}

export async function getStorage(flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  await get(ofSnapshot(storageSubject()), flags, output, signal);
}

export async function getAllocations(filter: AllocationFilter, flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  const read = (client: InventoryClient): Promise<readonly Allocation[]> => readAllocations(client, filter);
  await get({ subject: allocationSubject(), read, follow: (_snapshot, client) => read(client) }, flags, output, signal);
}

function ofSnapshot(subject: Subject<Snapshot>): Source<Snapshot> {
  return { subject, read: readSnapshot, follow: (snapshot) => snapshot };
}

/** Resolves with what was printed; undefined after a watch. */
async function get<State>(source: Source<State>, flags: GetFlags, output: Output, signal: AbortSignal): Promise<State | undefined> {
  const { out } = output;
  const look = (now: number): Look => ({ exact: flags.exact, wide: flags.output === 'wide', now, paint: paintFor(out) });
  if (flags.watch) {
    const connect = () => connectInventory(findServer(flags, process.env));
    const display = displayFor(source.subject, flags, output);
    await watchInventory({ connect, follow: source.follow, display, look, ticks: out.isTTY === true && !isMachine(flags.output) }, signal);
    return undefined;
  }
  const state = await askInventory(findServer(flags, process.env), source.read);
  const { subject } = source;
  out.write(
    isMachine(flags.output) ? formatDocument(subject.document(state), flags.output) : listingText(subject.list(state, look(Date.now()))),
  );
  return state;
}

function displayFor<State>(subject: Subject<State>, { output: format }: GetFlags, output: Output): WatchDisplay<State> {
  if (isMachine(format)) return machineDisplay(output, subject, format);
  return output.out.isTTY === true ? terminalDisplay(output.out, subject) : appendingDisplay(output, subject);
}

const isMachine = (format: GetFlags['output']): format is 'json' | 'yaml' => format === 'json' || format === 'yaml';
