/** Money for each block of the market. */
export interface Price {
  readonly denom: string;
  /** A decimal number, exact. */
  readonly amount: string;
}
