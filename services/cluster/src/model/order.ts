/** An order of the market, and the lease that may become of it. */
export interface OrderId {
  /** The account that ordered. */
  readonly owner: string;
  /** A number of 64 bits. */
  readonly dseq: bigint;
  readonly gseq: number;
  readonly oseq: number;
}
