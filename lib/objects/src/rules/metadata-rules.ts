import type { FieldViolation } from '@quartermaster/kernel';
import type { StoredMetadata, StoredObject } from '@quartermaster/store';
import { keyText, type OutputOnly, type PathPattern } from '../masks/index.ts';

/** Metadata that no update writes. Clients that send a whole object back send these with it, so a mask may name them. */
export const metadataOutputOnly: readonly OutputOnly[] = [
  { pattern: 'id' },
  { pattern: 'metadata.creation_timestamp' },
  { pattern: 'metadata.deletion_timestamp' },
  { pattern: 'metadata.creators' },
  { pattern: 'metadata.version' },
];

export const metadataLateFields: readonly PathPattern[] = ['metadata.labels', 'metadata.annotations'];

const nameRule =
  'must have at most 63 characters, only lower-case letters, digits and "-", and must not begin or end with "-"; put free text into the title';
const keyRule =
  'has an invalid key: use 1 to 63 of the characters a-z, 0-9, ".", "_" and "-", beginning and ending with a letter or digit, after an optional DNS name of at most 253 characters and "/"';
const labelValueRule =
  'must have at most 63 of the characters a-z, 0-9, ".", "_" and "-", beginning and ending with a letter or digit; put free text into an annotation';
const part = '[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?';
const namePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const keyPattern = new RegExp(`^(?:(?=.{1,253}/)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*/)?${part}$`);
const valuePattern = new RegExp(`^(?:${part})?$`);
const maxAnnotationBytes = 262_144;
const maxIdLength = 253;
const maxFinalizers = 64;
const maxTenants = 256;

/** Brings the metadata of an object into one spelling, in place: sets are sorted and without duplicates. */
export function normaliseMetadata(metadata: StoredMetadata | undefined): void {
  if (metadata === undefined) return;
  metadata.finalizers = sortedSet(metadata.finalizers);
  metadata.tenants = sortedSet(metadata.tenants);
}

function sortedSet(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}

/** Rules of the id and the metadata of any object. An empty id is one that the service still has to give. */
export function metadataViolations({ id, metadata }: Pick<StoredObject, 'id' | 'metadata'>): FieldViolation[] {
  const violations = idViolations(id);
  if (metadata === undefined) return violations;
  if (metadata.name !== '' && !namePattern.test(metadata.name)) violations.push({ field: 'metadata.name', description: nameRule });
  violations.push(...setViolations('metadata.finalizers', metadata.finalizers, maxFinalizers));
  violations.push(...setViolations('metadata.tenants', metadata.tenants, maxTenants));
  for (const [key, value] of Object.entries(metadata.labels)) {
    violations.push(...mapKeyViolations('metadata.labels', key));
    if (!valuePattern.test(value)) violations.push({ field: `metadata.labels.${keyText(key)}`, description: labelValueRule });
  }
  for (const key of Object.keys(metadata.annotations)) violations.push(...mapKeyViolations('metadata.annotations', key));
  const bytes = Object.entries(metadata.annotations).reduce((sum, entry) => sum + Buffer.byteLength(entry.join('')), 0);
  if (bytes > maxAnnotationBytes) {
    violations.push({
      field: 'metadata.annotations',
      description: `must not be larger than ${maxAnnotationBytes} bytes in total, and has ${bytes}`,
    });
  }
  return violations;
}

function idViolations(id: string): FieldViolation[] {
  if (id === '') return [];
  if (id.length > maxIdLength)
    return [{ field: 'id', description: `must not be longer than ${maxIdLength} characters, and has ${id.length}` }];
  if (/^[^\s\p{C}/?#%]+$/u.test(id) && !/^\.+$/.test(id)) return [];
  return [
    {
      field: 'id',
      description:
        'must not contain whitespace, control characters, "/", "?", "#" or "%", nor consist of dots only; leave it empty to have one generated',
    },
  ];
}

function mapKeyViolations(field: string, key: string): FieldViolation[] {
  return keyPattern.test(key) ? [] : [{ field: `${field}.${keyText(key)}`, description: keyRule }];
}

function setViolations(field: string, texts: readonly string[], limit: number): FieldViolation[] {
  if (texts.length > limit) return [{ field, description: `must not have more than ${limit} entries, and has ${texts.length}` }];
  return texts.flatMap((text, index) =>
    /^[^\s\p{C}]{1,253}$/u.test(text)
      ? []
      : [{ field: `${field}.${index}`, description: 'must have 1 to 253 characters without whitespace and control characters' }],
  );
}
