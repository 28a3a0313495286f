import { formatInteger } from '../model/amounts.ts';

/** For each block of the market, which is 6 s. */
export interface Price {
  readonly denom: string;
  readonly amount: string;
}

/** 365.25 days by 12, in blocks. */
const blocksPerMonth = 438_300n;
const fractionDigits = 18;

/** The amount in units of 10⁻¹⁸, exactly; 0 for a text that is none. */
function unitsOf(amount: string): bigint {
  const [, whole = '0', fraction = ''] = /^(\d{1,30})(?:\.(\d{1,18}))?$/.exec(amount) ?? [];
  return BigInt(whole + fraction.padEnd(fractionDigits, '0'));
}

/** Denoms of millionths, as people know them. */
const coins: Readonly<Record<string, string>> = { uakt: 'AKT', uact: 'ACT' };

function coinOf(denom: string): { readonly name: string; readonly perCoin: number } {
  const name = coins[denom] ?? (denom.startsWith('ibc/') ? 'USDC' : undefined);
  return name === undefined ? { name: denom, perCoin: 1 } : { name, perCoin: 1e6 };
}

/** Sums by denom, in the order in which they come. */
function sumsOf(prices: readonly (Price | undefined)[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>(); // denom -> units of 10⁻¹⁸
  for (const price of prices) if (price !== undefined) sums.set(price.denom, (sums.get(price.denom) ?? 0n) + unitsOf(price.amount));
  return sums;
}

/** `43.83 AKT`: what these cost together in a month; where there are several denoms, `43.83 AKT + 12 ACT`. Empty for none. */
export function perMonth(...prices: readonly (Price | undefined)[]): string {
  return [...sumsOf(prices)]
    .map(([denom, units]) => {
      const { name, perCoin } = coinOf(denom);
      return `${rounded(Number(units * blocksPerMonth) / 10 ** fractionDigits / perCoin)} ${name}`;
    })
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
