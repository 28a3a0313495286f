import type { FieldViolation } from '@quartermaster/kernel';
import { keyText, keyViolations, type Reference } from '@quartermaster/objects';

/** A number of hosts of one class: a node set of a cluster or template, a host set of a pool. */
interface SizedSet {
  readonly hostClass: string;
  readonly size: number;
}

const maxSets = 100;
const maxSize = 100_000;

export function sizedSetViolations(
  field: string,
  sets: Readonly<Record<string, SizedSet>>,
  { isClassNeeded }: { readonly isClassNeeded: boolean },
): FieldViolation[] {
  const entries = Object.entries(sets);
  if (entries.length > maxSets) return [{ field, description: `must not have more than ${maxSets} entries, and has ${entries.length}` }];
  return [
    ...keyViolations(field, Object.keys(sets)),
    ...entries.flatMap(([key, { hostClass, size }]) => [
      ...(size > 0 && size <= maxSize
        ? []
        : [{ field: `${field}.${keyText(key)}.size`, description: `must be between 1 and ${maxSize}, and is ${size}` }]),
      ...(hostClass !== '' || !isClassNeeded
        ? []
        : [{ field: `${field}.${keyText(key)}.host_class`, description: 'must be set, to the id or the name of a host class' }]),
    ]),
  ];
}

/** The classes that the sets name and did not name before. */
export function sizedSetReferences(
  field: string,
  sets: Readonly<Record<string, SizedSet>>,
  before: Readonly<Record<string, SizedSet>> | undefined,
): Reference[] {
  return Object.entries(sets)
    .filter(([key, { hostClass }]) => hostClass !== '' && hostClass !== before?.[key]?.hostClass)
    .map(([key, { hostClass }]) => ({
      field: `${field}.${keyText(key)}.host_class`,
      kind: 'host_classes',
      value: hostClass,
      isNameAllowed: true,
    }));
}
