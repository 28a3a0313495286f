import { createHash } from 'node:crypto';
import type { OrderId } from '../model/order.ts';

/** What can stand in the name of an object as it is. It has no dot: that tells it from a shortened one. */
const plainOwner = /^[a-z0-9](?:[-a-z0-9]{0,98}[a-z0-9])?$/;

/**
 * The name of the object of an order: owner-dseq-gseq-oseq. Different orders have different names: the last three parts are numbers, so that everything before them is the
 * owner, and an owner that is no part of a name is told apart by a hash.
 */
export function orderName({ owner, dseq, gseq, oseq }: OrderId): string {
  return `${plainOwner.test(owner) ? owner : shortened(owner)}-${dseq}-${gseq}-${oseq}`;
}

function shortened(owner: string): string {
  const readable = owner
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 20);
  // As JSON, in which no two texts are alike: UTF-8 has one replacement for all halves of surrogate pairs.
  const hash = createHash('sha256').update(JSON.stringify(owner)).digest('hex').slice(0, 40);
  return `${readable === '' ? 'x' : readable}.${hash}`;
}
