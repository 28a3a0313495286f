import { unequalTexts } from '@quartermaster/api/states';
import type { ChosenUnit } from './needs.ts';
import { isPersistent, type PersistentVolume, type Request, type Unit, type Volume, wantsText } from './request.ts';
import type { ClassFacts, Reason } from './stock-facts.ts';
import type { StorageClasses } from './storage-classes.ts';

/** The classes that each persistent volume can be of: the choices of which one must hold. */
export type ClassChoices = readonly { readonly unit: Unit; readonly volumes: readonly (readonly ClassFacts[])[] }[];

/** Or, into `reasons`, why a volume can be of none. */
export function classChoices(request: Request, storage: StorageClasses, reasons: Reason[]): ClassChoices {
  return request.units.map((unit) => {
    if (!unit.volumes.some(isPersistent)) return { unit, volumes: noChoices };
    return { unit, volumes: unit.volumes.filter(isPersistent).map((volume) => usableClasses(unit, volume, storage, reasons)) };
  });
}

function usableClasses(unit: Unit, volume: PersistentVolume, storage: StorageClasses, reasons: Reason[]): readonly ClassFacts[] {
  const classes = storage.of(volume.class);
  const usable = classes.filter((facts) => problemOf(facts, volume) === undefined);
  if (usable.length === 0)
    reasons.push(...(classes.length === 0 ? [noClass(volume)] : classes.map((facts) => present(problemOf(facts, volume), unit))));
  return usable;
}

/** A volume with several classes to choose from. */
interface Digit {
  readonly unit: number;
  readonly volume: number;
  readonly classes: readonly ClassFacts[];
  at: number;
}

/** Every choice of one class for each volume; in an order that does not depend on the one of units and volumes. */
export function chosenUnits(choices: ClassChoices): Iterable<readonly ChosenUnit[]> {
  if (choices.every(({ volumes }) => volumes.length === 0)) return [choices.map(({ unit }) => ({ unit, classes: none }))];
  return everyChoice(choices);
}

const none: readonly ClassFacts[] = [];
const noChoices: readonly (readonly ClassFacts[])[] = [];

function* everyChoice(choices: ClassChoices): Iterable<readonly ChosenUnit[]> {
  const digits = digitsOf(choices);
  const chosen = choices.map(({ volumes }) => volumes.flatMap(([first]) => (first === undefined ? [] : [first])));
  const turn = (digit: Digit, at: number): void => {
    const facts = digit.classes[at];
    digit.at = at;
    if (facts !== undefined) chosen[digit.unit]?.splice(digit.volume, 1, facts);
  };
  for (;;) {
    yield choices.map(({ unit }, at) => ({ unit, classes: chosen[at]?.slice() ?? [] }));
    let last = digits.length - 1;
    for (let digit = digits[last]; digit !== undefined && digit.at + 1 >= digit.classes.length; digit = digits[last]) {
      turn(digit, 0);
      last -= 1;
    }
    const digit = digits[last];
    if (digit === undefined) return;
    turn(digit, digit.at + 1);
  }
}

function digitsOf(choices: ClassChoices): readonly Digit[] {
  const digits: (Digit & { readonly text: string })[] = [];
  for (const [unit, { unit: asked, volumes }] of choices.entries()) {
    if (volumes.every(({ length }) => length <= 1)) continue;
    const persistent = asked.volumes.filter(isPersistent);
    const unitText = textOf(asked);
    for (const [volume, classes] of volumes.entries()) {
      const wanted = persistent[volume];
      if (classes.length > 1) digits.push({ unit, volume, classes, at: 0, text: `${wanted?.class} ${wanted?.bytes} ${unitText}` });
    }
  }
  return digits.length < 2 ? digits : digits.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}

/** Says all of a unit that counts; names and order do not. */
function textOf({ count, cpuMillis, memoryBytes, gpus, volumes }: Unit): string {
  const volumeText = (each: Volume): string => JSON.stringify([each.kind, each.bytes, isPersistent(each) ? each.class : '']);
  const all = volumes.map(volumeText).sort();
  return JSON.stringify([cpuMillis, memoryBytes, count, gpus?.count ?? 0, gpus && wantsText(gpus.wants), gpus?.resource, all]);
}

function noClass({ class: wanted }: PersistentVolume): Reason {
  return { code: 'NoStorageClass', message: `the cluster has no storage class for ${wanted}` };
}

function problemOf(facts: ClassFacts, { bytes, name }: PersistentVolume): Reason | undefined {
  if (facts.refusal !== undefined)
    return { code: 'StorageClassRefused', message: `storage class ${facts.name} is not offered: ${facts.refusal.message}` };
  if (facts.freeBytes === undefined)
    return { code: 'StorageUnknown', message: `nobody knows how much storage class ${facts.name} has free` };
  const { largestVolumeBytes: most = bytes } = facts;
  if (bytes > most) {
    const [largest, asked] = unequalTexts('storage/', most, bytes);
    const message = `volume ${name} has ${asked}; the largest that storage class ${facts.name} can hold has ${largest}`;
    return { code: 'VolumeTooLarge', message };
  }
  return undefined;
}

const present = (reason: Reason | undefined, unit: Unit): Reason => ({
  code: reason?.code ?? 'NoStorageClass',
  message: `unit ${unit.id}: ${reason?.message ?? ''}`,
});
