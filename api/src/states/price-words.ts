/** A price for each block of the market, or what comes of one: a decimal number as a text, and what it counts. */
export interface Money {
  readonly denom: string;
  readonly amount: string;
}

/** As the contract has it: a price is for a block of 6 s. A month is a twelfth of 365.25 days. */
const blocksPerMonth = 438_300n;
const fractionDigits = 18;

/** Denoms of millionths, as people know them. */
const coins: Readonly<Record<string, string>> = { uakt: 'AKT', uact: 'ACT' };
const perCoin = 1_000_000n;

/** `25 uakt`. */
export const moneyText = ({ amount, denom }: Money): string => `${amount} ${denom}`;

/** What a price comes to in a month, in whole coins where they have a name, exact; undefined for an amount that is no number. */
export function monthOf({ amount, denom }: Money): Money | undefined {
  const units = unitsOf(amount);
  const coin = coins[denom];
  if (units === undefined) return undefined;
  const inMonth = units * blocksPerMonth;
  // Six digits more, so that nothing is cut off.
  return coin === undefined
    ? { denom, amount: amountOf(inMonth, fractionDigits) }
    : { denom: coin, amount: amountOf(inMonth, fractionDigits + String(perCoin).length - 1) };
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
    const units = each.map(({ amount }) => unitsOf(amount)).filter((value) => value !== undefined);
    return units.length < each.length
      ? []
      : [
          {
            denom,
            amount: amountOf(
              units.reduce((sum, value) => sum + value, 0n),
              fractionDigits,
            ),
          },
        ];
  });
}

/** In units of 10⁻¹⁸. */
function unitsOf(amount: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,40})(?:\.(\d{1,18}))?$/.exec(amount) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(fractionDigits, '0'));
}

/** Units of 10 to the minus `places`. */
function amountOf(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}
