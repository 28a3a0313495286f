import type { HardwareFacts } from '@quartermaster/api/node-hardware';

/**
 * Whether facts that were stored under the name of a node are of the machine that was scanned now. A name proves nothing: another machine may have got it. The system UUID, the serial
 * number or the address of a network card does; without any of them, that it is still the same Node object.
 */
export function isSameMachine(stored: HardwareFacts, scanned: HardwareFacts): boolean {
  const isSameSystem = areEqual(stored.machine.systemUuid, scanned.machine.systemUuid);
  const isSameSerial = areEqual(stored.machine.serial, scanned.machine.serial);
  if (isSameSystem === false || isSameSerial === false) return false;
  const hasSameCard = shareAddress(stored.nics ?? [], scanned.nics ?? []);
  if (isSameSystem === true || isSameSerial === true || hasSameCard === true) return true;
  return hasSameCard === undefined && areEqual(stored.nodeUid, scanned.nodeUid) === true;
}

/** Undefined where one of them is not known. */
const areEqual = (a: string | undefined, b: string | undefined): boolean | undefined =>
  a === undefined || b === undefined ? undefined : a === b;

function shareAddress(a: readonly { readonly mac: string }[], b: readonly { readonly mac: string }[]): boolean | undefined {
  if (a.length === 0 || b.length === 0) return undefined;
  const macs = new Set(a.map(({ mac }) => mac));
  return b.some(({ mac }) => macs.has(mac));
}
