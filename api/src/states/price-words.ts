/** A price for each block of the market, or what comes of one: a decimal number as a text, and what it counts. */
export interface Money {
  readonly denom: string;
  readonly amount: string;
}

/** As the contract has it: a price is for a block of 6 s. A month is 30 days. */
const blocksPerMonth = (30n * 86_400n) / 6n;
const fractionDigits = 18;

/** `25 uakt`. */
export const moneyText = ({ amount, denom }: Money): string => `${amount} ${denom}`;

/** `10800000 uakt`, exact; undefined for an amount that is no number. */
export function monthText({ amount, denom }: Money): string | undefined {
  const units = unitsOf(amount);
  return units === undefined ? undefined : moneyText({ amount: amountOf(units * blocksPerMonth), denom });
}

/** `25 uakt per block, 10800000 uakt per month`. */
export function priceWords(price: Money): string {
  const month = monthText(price);
  return `${moneyText(price)} per block${month === undefined ? '' : `, ${month} per month`}`;
}

/** One sum for each denom. A denom of which one amount is no number is left out: its sum is not known. */
export function sumPrices(prices: readonly Money[]): readonly Money[] {
  return [...Map.groupBy(prices, ({ denom }) => denom)].flatMap(([denom, each]) => {
    const units = each.map(({ amount }) => unitsOf(amount)).filter((value) => value !== undefined);
    return units.length < each.length ? [] : [{ denom, amount: amountOf(units.reduce((sum, value) => sum + value, 0n)) }];
  });
}

/** In units of 10⁻¹⁸. */
function unitsOf(amount: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(amount) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(fractionDigits, '0'));
}

function amountOf(units: bigint): string {
  const digits = units.toString().padStart(fractionDigits + 1, '0');
  return `${digits.slice(0, -fractionDigits)}.${digits.slice(-fractionDigits)}`.replace(/\.?0+$/, '');
}
