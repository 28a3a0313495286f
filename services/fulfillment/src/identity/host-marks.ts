import type { Host, HostSpec } from '@quartermaster/api/private';
import { isJunkMac, isJunkSerial, isJunkUuid } from '@quartermaster/kernel';

/** What tells one machine from another, whoever speaks of it. */
export interface HostMarks {
  readonly serial: string;
  readonly systemUuid: string;
  readonly macs: readonly string[];
}

export type MarkKind = 'systemUuid' | 'serial' | 'mac' | 'pair' | 'unit';

/** One thing that two hosts cannot both have: something that identifies the machine, two such things together, or a height unit of a rack. */
export interface Mark {
  readonly kind: MarkKind;
  readonly value: string;
}

/**
 * How many hosts may have the same mark before it tells nothing of any of them: firmware wrote it into all of its kind, a serial number is that of the whole chassis, an
 * adapter is passed from machine to machine, several nodes share the units of their chassis. A pair tells, however many have it: no firmware and no chassis has machines boot
 * from one address.
 */
export const mostAlike: Readonly<Record<Exclude<MarkKind, 'pair'>, number>> = { systemUuid: 8, serial: 8, mac: 2, unit: 2 };

/** The marks of a spec in its normal form; empty where it has none. */
export function marksOf(spec: HostSpec | undefined): HostMarks {
  if (spec === undefined) return { serial: '', systemUuid: '', macs: [] };
  const macs = [spec.bootMac, ...spec.nics.map(({ mac }) => mac)].filter((mac) => mac !== '' && !isJunkMac(mac));
  return {
    serial: isJunkSerial(spec.serial) ? '' : spec.serial,
    systemUuid: isJunkUuid(spec.systemUuid) ? '' : spec.systemUuid,
    macs: [...new Set(macs)],
  };
}

/** The strongest first. */
export function listMarks({ serial, systemUuid, macs }: HostMarks): readonly Mark[] {
  return [
    ...(systemUuid === '' ? [] : [{ kind: 'systemUuid', value: systemUuid } as const]),
    ...(serial === '' ? [] : [{ kind: 'serial', value: serial } as const]),
    ...macs.map((value) => ({ kind: 'mac', value }) as const),
  ];
}

/** The address that a machine boots from, with what else it is known by; empty where that is not known. */
export interface BootMarks {
  readonly bootMac: string;
  readonly serial: string;
  readonly systemUuid: string;
}

/** Undefined: the host has no two marks that tell more together than each of them. */
export function bootMarksOf(spec: HostSpec | undefined): BootMarks | undefined {
  const { serial, systemUuid, macs } = marksOf(spec);
  if (spec === undefined || !macs.includes(spec.bootMac) || (serial === '' && systemUuid === '')) return undefined;
  return { bootMac: spec.bootMac, serial, systemUuid };
}

function pairsOf(spec: HostSpec | undefined): readonly Mark[] {
  const marks = bootMarksOf(spec);
  if (marks === undefined) return [];
  const boot = markText({ kind: 'mac', value: marks.bootMac });
  const others = listMarks({ ...marks, macs: [] });
  return others.map((other) => ({ kind: 'pair', value: `${markText(other)} and ${boot}` }));
}

/** The units that a host takes up; none while its place is not known. A host whose height is not known takes up one. */
function unitsOf(spec: HostSpec | undefined): readonly Mark[] {
  if (spec === undefined || spec.rack === '' || spec.rackUnit < 1) return [];
  const { rack, rackUnit, rackHeight } = spec;
  return Array.from({ length: Math.max(1, rackHeight) }, (_, index) => ({ kind: 'unit', value: `${rackUnit + index} of rack ${rack}` }));
}

/** Everything that no other host can have, too. */
export const marksOfHost = ({ spec }: Host): readonly Mark[] => [...listMarks(marksOf(spec)), ...pairsOf(spec), ...unitsOf(spec)];

const words: Readonly<Record<Exclude<MarkKind, 'pair'>, string>> = {
  systemUuid: 'system UUID',
  serial: 'serial',
  mac: 'MAC address',
  unit: 'height unit',
};

/** `serial SN1`: what messages say, and different for different marks. */
export const markText = ({ kind, value }: Mark): string => (kind === 'pair' ? value : `${words[kind]} ${value}`);

/** Whether that is the text of a place. */
export const isPlaceText = (text: string): boolean => text.startsWith(`${words.unit} `);

export function isSameMarks(one: HostMarks, other: HostMarks): boolean {
  return one.serial === other.serial && one.systemUuid === other.systemUuid && one.macs.toSorted().join() === other.macs.toSorted().join();
}
