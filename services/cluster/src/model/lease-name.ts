import { createHash } from 'node:crypto';
import type { OrderId } from './order.ts';

/** Of a DNS label, which the name of a namespace is. */
const maxLength = 63;
const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The namespace of a lease: `lease-<owner>-<dseq>-<gseq>-<oseq>` where a namespace can have that name. Otherwise the owner is shortened and a hash of the whole id follows,
 * which is longer than any oseq: so no shortened name is the name of another lease.
 */
export function leaseNamespace({ owner, dseq, gseq, oseq }: OrderId): string {
  const numbers = `${dseq}-${gseq}-${oseq}`;
  const name = `lease-${owner}-${numbers}`;
  if (label.test(name)) return name;
  const room = maxLength - `lease--${numbers}-`.length;
  const hash = shortHash([owner, `${dseq}`, gseq, oseq], Math.min(20, Math.max(12, room - 8)));
  const readable = owner
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, room - hash.length);
  return `lease-${readable === '' ? 'x' : readable}-${numbers}-${hash}`;
}

/** Lower-case letters and digits. */
export function shortHash(of: unknown, length: number): string {
  // As JSON, in which no two texts are alike: UTF-8 has one replacement for all halves of surrogate pairs.
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  return BigInt(`0x${hash}`).toString(36).padStart(50, '0').slice(-length);
}
