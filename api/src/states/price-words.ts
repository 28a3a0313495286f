import { decimalDigits, formatDecimal, parseDecimal } from '@quartermaster/kernel';

/** A price for each block of the market, or what comes of one: a decimal number as a text, and what it counts. */
export interface Money {
  readonly denom: string;
  readonly amount: string;
}

/** As the contract has it: a price is for a block of 6 s. A month is a twelfth of 365.25 days. */
const blocksPerMonth = 438_300n;

/** Denoms of millionths, as people know them. */
const coins: Readonly<Record<string, string>> = { uakt: 'AKT', uact: 'ACT' };
const coinDigits = 6;

/** `25 uakt`. */
export const moneyText = ({ amount, denom }: Money): string => `${amount} ${denom}`;

/** What a price comes to in a month, in whole coins where they have a name, exact; undefined for an amount that is no number. */
export function monthOf({ amount, denom }: Money): Money | undefined {
  const units = parseDecimal(amount);
  const coin = coins[denom];
  if (units === undefined) return undefined;
  const inMonth = units * blocksPerMonth;
  // Six digits more, so that nothing is cut off.
  return coin === undefined
    ? { denom, amount: formatDecimal(inMonth) }
    : { denom: coin, amount: formatDecimal(inMonth, decimalDigits + coinDigits) };
}

/** `10.9575 AKT`, exact; undefined for an amount that is no number. */
export function monthText(price: Money): string | undefined {
  const month = monthOf(price);
  return month && moneyText(month);
}

/** `25 uakt per block, 10.9575 AKT per month`. */
export function priceWords(price: Money): string {
  const month = monthText(price);
  return `${moneyText(price)} per block${month === undefined ? '' : `, ${month} per month`}`;
}

/** One sum for each denom. A denom of which one amount is no number is left out: its sum is not known. */
export function sumPrices(prices: readonly Money[]): readonly Money[] {
  return [...Map.groupBy(prices, ({ denom }) => denom)].flatMap(([denom, each]) => {
    const units = each.map(({ amount }) => parseDecimal(amount)).filter((value) => value !== undefined);
    return units.length < each.length ? [] : [{ denom, amount: formatDecimal(units.reduce((sum, value) => sum + value, 0n)) }];
  });
}
