import type { Price } from '@quartermaster/api/market';
import { type FieldViolation, parseDecimal } from '@quartermaster/kernel';

type Money = Pick<Price, 'denom' | 'amount'>;

/** What is wrong with a price that somebody asks. */
export function priceViolations(field: string, price: Money | undefined): FieldViolation[] {
  if (price === undefined) return [{ field, description: 'must be given: it is what the bid asks for' }];
  const units = parseDecimal(price.amount);
  return [
    ...(/^[a-zA-Z][\w/:.-]{0,127}$/.test(price.denom)
      ? []
      : [{ field: `${field}.denom`, description: 'must be given as the order has it: that of max_price' }]),
    ...(units === undefined || units === 0n
      ? [{ field: `${field}.amount`, description: 'must be a decimal number above 0, such as 1.5, with at most 18 digits after the point' }]
      : []),
  ];
}

/** Less than 0 when the first is cheaper. Amounts that cannot be read count as the dearest. */
export function compareAmounts(left: Money | undefined, right: Money | undefined): number {
  const [a, b] = [parseDecimal(left?.amount ?? ''), parseDecimal(right?.amount ?? '')];
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a < b ? -1 : a > b ? 1 : 0;
}

export const isSamePrice = (left: Money | undefined, right: Money | undefined): boolean =>
  left?.denom === right?.denom && compareAmounts(left, right) === 0;

export const priceText = ({ amount, denom }: Money): string => `${amount} ${denom}`;
