import type { HostSpec } from '@quartermaster/api/private';

/** What tells one machine from another, whoever speaks of it. */
export interface HostMarks {
  readonly serial: string;
  readonly systemUuid: string;
  readonly macs: readonly string[];
}

/** What firmware says when nobody has written the serial number into it. In lower case. */
const placeholders = new Set([
  '0',
  '123456789',
  '0123456789',
  'default string',
  'n/a',
  'na',
  'none',
  'not applicable',
  'not specified',
  'system serial number',
  'to be filled by o.e.m.',
  'unknown',
]);

/** The marks of a spec in its normal form; empty where it has none. */
export function marksOf(spec: HostSpec | undefined): HostMarks {
  if (spec === undefined) return { serial: '', systemUuid: '', macs: [] };
  const macs = [spec.bootMac, ...spec.nics.map(({ mac }) => mac)].filter((mac) => mac !== '');
  return {
    serial: placeholders.has(spec.serial.toLowerCase()) ? '' : spec.serial,
    systemUuid: spec.systemUuid,
    macs: [...new Set(macs)],
  };
}

/** In words, what two hosts have in common; undefined when nothing says that they are the same machine. */
export function commonMark(one: HostMarks, other: HostMarks): string | undefined {
  if (one.systemUuid !== '' && one.systemUuid === other.systemUuid) return `system UUID ${one.systemUuid}`;
  if (one.serial !== '' && one.serial === other.serial) return `serial ${one.serial}`;
  const mac = one.macs.find((each) => other.macs.includes(each));
  return mac === undefined ? undefined : `MAC address ${mac}`;
}

export function isSameMarks(one: HostMarks, other: HostMarks): boolean {
  return one.serial === other.serial && one.systemUuid === other.systemUuid && one.macs.toSorted().join() === other.macs.toSorted().join();
}
