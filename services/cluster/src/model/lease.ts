import type { OrderId } from './order.ts';

/** A lease: an order that this provider has won. */
export interface LeaseId extends OrderId {
  readonly provider: string;
}

/** `owner/dseq/gseq/oseq/provider`, as the ecosystem writes it. */
export const leasePath = ({ owner, dseq, gseq, oseq, provider }: LeaseId): string => `${owner}/${dseq}/${gseq}/${oseq}/${provider}`;
