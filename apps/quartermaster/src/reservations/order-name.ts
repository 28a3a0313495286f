import type { OrderId } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';

/** An order as commands know it. */
export type Order = Pick<OrderId, 'owner' | 'dseq' | 'gseq' | 'oseq'>;

const form = 'OWNER/DSEQ/GSEQ/OSEQ';
const maxSequence = 2n ** 64n - 1n;
const maxNumber = 2n ** 32n - 1n;

/** An order that was typed. */
export function parseOrder(text: string): Order {
  const [, owner = '', ...digits] = /^([^/\s]+)\/(\d{1,20})\/(\d{1,10})\/(\d{1,10})$/.exec(text) ?? [];
  const [dseq = -1n, gseq = 0n, oseq = 0n] = digits.map(BigInt);
  if (dseq < 0n) throw refused(text, `be ${form}, such as akash1xyz/1234567/1/1`);
  if (dseq > maxSequence || gseq > maxNumber || oseq > maxNumber) throw refused(text, 'have numbers of 64, 32 and 32 bits');
  return { owner, dseq, gseq: Number(gseq), oseq: Number(oseq) };
}

const refused = (text: string, rule: string): StatusError => new StatusError('invalid_argument', `order "${text}" must ${rule}`);

/**
 * What the name of an object tells of its order: `akash1xyz-7-1-1`. Of an owner that is no name for an object it has a part, and a hash after a dot.
 * Undefined when it is no such name.
 */
export function parseObjectName(text: string): Order | undefined {
  const [, owner, dseq, gseq, oseq] = /^([a-z\d][a-z\d.-]*)-(\d{1,20})-(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  return owner === undefined ? undefined : parseOrder(`${owner}/${dseq}/${gseq}/${oseq}`);
}

/** Whether an object whose name has a hash can be that of the order: the same numbers, and the letters that the name has of the owner. */
export function isNamedAfter(order: Order, name: Order): boolean {
  const hasNumbers = order.dseq === name.dseq && order.gseq === name.gseq && order.oseq === name.oseq;
  const [letters = '', hash] = name.owner.split('.');
  return hasNumbers && hash !== undefined && (lettersOf(order.owner) || 'x').startsWith(letters);
}

const lettersOf = (owner: string): string => owner.toLowerCase().replaceAll(/[^a-z\d]/g, '');
