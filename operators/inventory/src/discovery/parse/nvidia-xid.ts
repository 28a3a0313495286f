import { pciAddress } from './pci.ts';

/** What the kernel's log says against a card, from its last reset on. */
export interface XidReport {
  /** In the order in which they first came, a few of them. */
  readonly codes: readonly number[];
  /** When the first came, in milliseconds since the machine started; undefined for one that is known from before. */
  readonly sinceStartMs?: number | undefined;
}

/**
 * Codes after which a card cannot be trusted until it was reset or replaced -> what they mean. Others tell of a program that went wrong, or of
 * something that the driver has mended.
 */
export const fatalXids: ReadonlyMap<number, string> = new Map([
  [48, 'memory error that could not be corrected'],
  [62, 'halt of its own controller'],
  [63, 'memory to be remapped'],
  [64, 'memory that could not be remapped'],
  [74, 'NVLink error'],
  [79, 'fallen off the bus'],
  [92, 'many corrected memory errors'],
  [94, 'contained memory error'],
  [95, 'uncontained memory error'],
  [119, 'no answer of its system processor'],
  [120, 'error of its system processor'],
]);

const maxCodes = 8;

/** As a person writes it into the kernel's log, after a reset of which the driver says nothing there. */
export const fitLine = (address: string): string => `quartermaster: gpu ${address} is fit`;

/** Whether a record of the kernel's log matters here. For those who keep some of it. */
export const isXidRecord = (record: string): boolean => record.includes('NVRM: ') || record.includes('quartermaster: gpu ');

/**
 * Cards of which the driver reported a fatal code: PCI address -> report. Takes records as /dev/kmsg gives them, `priority,sequence,microseconds,flags;text`,
 * one in each line, in any number and state. A driver that is loaded anew begins anew with every card. Only the kernel can report, and only
 * others can call a card fit. `known` are earlier reports of this run of the machine, whose records the log may have overwritten: it forgets the oldest first, so that where
 * a record is left that lifts reports, all later reports are left as well.
 */
export function parseXids(log: string, known: ReadonlyMap<string, XidReport> = new Map()): ReadonlyMap<string, XidReport> {
  const reports = new Map(known);
  for (const { text, isOfKernel, atMs } of recordsIn(log)) {
    const lifted = liftedBy(text, isOfKernel);
    if (lifted === 'all') reports.clear();
    else if (lifted !== undefined) reports.delete(lifted);
    else if (isOfKernel) note(reports, text, atMs);
  }
  return reports;
}

/** A text that differs when a report came, or was lifted, or would have been if it were known. */
export function xidDigest(log: string): string {
  const lifts = [...recordsIn(log)].filter(({ text, isOfKernel }) => liftedBy(text, isOfKernel) !== undefined);
  return JSON.stringify([[...parseXids(log)], lifts.at(-1)]);
}

function* recordsIn(log: string): Generator<{ readonly text: string; readonly isOfKernel: boolean; readonly atMs: number }> {
  for (const line of log.split('\n')) {
    const [, priority = '', time = '', text = ''] = /^(\d{1,4}),\d{1,20},(\d{1,16}),[^;]{0,200};(.*)$/.exec(line) ?? [];
    if (priority !== '') yield { text, isOfKernel: Number(priority) < 8, atMs: Math.floor(Number(time) / 1000) };
  }
}

/** Whose report a record lifts: the address of a card, or `all`; undefined for none. */
function liftedBy(text: string, isOfKernel: boolean): string | undefined {
  if (isOfKernel) return text.startsWith('NVRM: loading NVIDIA') ? 'all' : undefined;
  const fit = /^quartermaster: gpu ([0-9a-fA-F:.]{7,16}) is fit\s*$/.exec(text)?.[1];
  return fit === undefined ? undefined : pciAddress(fit);
}

function note(reports: Map<string, XidReport>, text: string, sinceStartMs: number): void {
  const [, place = '', digits = ''] = /^NVRM: Xid \((?:PCI:)?([0-9a-fA-F:]{7,14})(?:\.[0-7])?\): (\d{1,4})(?!\d)/.exec(text) ?? [];
  const address = pciAddress(`${place}.0`);
  const code = Number(digits);
  if (address === undefined || digits === '' || !fatalXids.has(code)) return;
  const known = reports.get(address);
  if (known === undefined) reports.set(address, { codes: [code], sinceStartMs });
  else if (!known.codes.includes(code) && known.codes.length < maxCodes) reports.set(address, { ...known, codes: [...known.codes, code] });
}

/** For people: what happened and what to do. */
export function xidText(codes: readonly number[], address: string): string {
  const list = codes.map((code) => `Xid ${code} (${fatalXids.get(code) ?? 'unknown'})`).join(', ');
  return `the driver reported ${list}: restart the machine, or reset the card and then write "${fitLine(address)}" to /dev/kmsg, or replace it`;
}

/** When the machine started, in milliseconds since the epoch, by /proc/stat. */
export function parseStartTime(stat: string): number | undefined {
  const seconds = /^btime (\d{1,11})$/m.exec(stat)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
