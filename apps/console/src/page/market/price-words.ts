import { type Money, monthOf, sumPrices } from '@quartermaster/api/states';
import { formatInteger } from '../model/amounts.ts';

/** For each block of the market, which is 6 s. */
export type Price = Money;

/** `43.83 AKT`: what these cost together in a month; where there are several denoms, `43.83 AKT + 12 ACT`. Empty for none. */
export function perMonth(...prices: readonly (Price | undefined)[]): string {
  return sumPrices(prices.filter((price) => price !== undefined))
    .map((sum) => monthOf(sum))
    .map((month) => (month === undefined ? '' : `${rounded(Number(month.amount))} ${month.denom}`))
    .join(' + ');
}

/** The exact price, for hovering: `100 uakt for each block of 6 s`. */
export const exactPrice = (price: Price | undefined): string =>
  price === undefined ? '' : `${price.amount} ${price.denom} for each block of 6 s`;

/** Enough digits to tell prices apart, and no more. */
function rounded(value: number): string {
  if (value >= 1_000) return formatInteger(value);
  return String(Number(value >= 1 ? value.toFixed(2) : value.toPrecision(2)));
}
