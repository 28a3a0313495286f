import type { HardwareFacts } from '@quartermaster/api/node-hardware';

/**
 * Whether facts that were stored under the name of a node are of the machine that was scanned now. A name proves nothing: another machine may have got it. The system UUID, the serial
 * number or the address of a network card does, unless another of them differs: makers ship one UUID in many machines. Without any of them, that it is still the same Node object does.
 */
export function isSameMachine(stored: HardwareFacts, scanned: HardwareFacts): boolean {
  const marks = [
    areEqual(stored.machine.systemUuid, scanned.machine.systemUuid),
    areEqual(stored.machine.serial, scanned.machine.serial),
    shareAddress(stored.nics ?? [], scanned.nics ?? []),
  ];
  if (marks.includes(false)) return false;
  return marks.includes(true) || areEqual(stored.nodeUid, scanned.nodeUid) === true;
}

/** Undefined where one of them is not known. */
const areEqual = (a: string | undefined, b: string | undefined): boolean | undefined =>
  a === undefined || b === undefined ? undefined : a === b;

function shareAddress(a: readonly { readonly mac: string }[], b: readonly { readonly mac: string }[]): boolean | undefined {
  if (a.length === 0 || b.length === 0) return undefined;
  const macs = new Set(a.map(({ mac }) => mac));
  return b.some(({ mac }) => macs.has(mac));
}
