import type { FieldViolation } from '@quartermaster/kernel';

/** A secret may be given as a value or as a reference to one. These are the two fields of such a pair in one object. */
export interface SecretPair {
  readonly value: string | Uint8Array;
  readonly hasReference: boolean;
}

/** What to do with a pair: of two that an update leaves set, the one that it did not change makes way. */
export type PairVerdict = 'fine' | 'drop value' | 'drop reference' | 'refuse';

export function judgePair(before: SecretPair | undefined, after: SecretPair): PairVerdict {
  if (isEmpty(after.value) || !after.hasReference) return 'fine';
  if (before === undefined) return 'refuse';
  const isValueKept = !isEmpty(before.value) && bytesOf(before.value).equals(bytesOf(after.value));
  if (isValueKept !== before.hasReference) return isValueKept ? 'drop value' : 'drop reference';
  return 'refuse';
}

export function pairViolation(valueField: string, referenceField: string): FieldViolation {
  return { field: referenceField, description: `must not be set together with "${valueField}": send one and clear the other with a mask` };
}

const isEmpty = (value: string | Uint8Array): boolean => value.length === 0;

const bytesOf = (value: string | Uint8Array): Buffer => (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value));
