import type { Sealed } from '../key-ring.ts';
import { sealPart } from './object-parts.ts';
import { hexOf, type WriteBatch } from './write-batch.ts';

/** Where a secret belongs. */
export interface SecretPlace {
  /** The plural of the kind: `hosts`. */
  readonly kind: string;
  /** Of the object. */
  readonly id: string;
  /** Of a field, or a name for what is none: nobody is shown that, and whoever adds it also takes it away. */
  readonly path: string;
}

/** Binds a sealed value to its place: moved elsewhere it cannot be opened. */
export const secretContext = ({ kind, id, path }: SecretPlace): string => `${kind}/${id}/${path}`;

/** Has the batch store a secret in its place, or replace it. `secretsOf` of the kind opens it. */
export function sealSecret(
  batch: WriteBatch,
  keys: { seal(plain: Uint8Array, context: string): Sealed },
  place: SecretPlace,
  value: Uint8Array,
): void {
  const { keyId, bytes } = keys.seal(value, secretContext(place));
  batch.add(sealPart, { kind: place.kind, object_id: place.id, path: place.path, key_id: keyId, sealed: hexOf(bytes) });
}
