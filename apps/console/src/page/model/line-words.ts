import type { CapacityLine, Withheld } from '@quartermaster/api/inventory-views';
import { listHref, withheldWords } from './capacity-words.ts';
import { roundedParts } from './rounded-parts.ts';

/** A reason for which an amount cannot be sold, and the list of what it is about. */
export interface LineReason {
  readonly key: string;
  readonly state: Withheld['state'];
  readonly text: string;
  readonly href: string;
}

/** How a resource divides, in words that add up: the parts to the whole, and the reasons to what they explain. */
export interface LineWords {
  /** `13 of 30 TiB`. */
  readonly sellable: string;
  readonly allocated: string;
  readonly heldBack: string;
  readonly unknown: string;
  readonly reasons: readonly LineReason[];
}

export function lineWords(line: CapacityLine): LineWords {
  const { division, unit } = line;
  const why = [...explained(line, 'held-back', division.heldBack), ...explained(line, 'unknown', division.unknown)];
  const amounts = [division.allocated, division.sellable, ...why.map(({ amount }) => amount)];
  const { number, text } = roundedParts(unit, amounts);
  const indexes = amounts.map((_, index) => index);
  const of = (state: Withheld['state']): readonly number[] => why.flatMap((each, index) => (each.state === state ? [index + 2] : []));
  return {
    sellable: `${number(1)} of ${text(...indexes)}`,
    allocated: text(0),
    heldBack: text(...of('held-back')),
    unknown: text(...of('unknown')),
    reasons: why.map((each, index) => ({
      key: `${each.state} ${each.code}`,
      state: each.state,
      text: withheldWords(line, each, of(each.state).length === 1 ? '' : text(index + 2)),
      href: reasonHref(line, each),
    })),
  };
}

/** The reasons of an amount, cut to it; what none of them explains is said to have none. */
function explained({ why }: CapacityLine, state: Withheld['state'], amount: number): readonly Withheld[] {
  let left = amount;
  const known = why
    .filter((each) => each.state === state)
    .map((each) => {
      const own = Math.min(each.amount, left);
      left -= own;
      return { ...each, amount: own };
    })
    .filter((each) => each.amount > 0);
  return left > 0 ? [...known, { state, code: 'Unexplained', amount: left, nodes: 0 }] : known;
}

function reasonHref(line: CapacityLine, { code, state }: Withheld): string {
  if (code === 'System') return listHref(line, 'sale:sellable');
  if (code === 'Quarantined') return listHref(line, 'why:quarantined');
  return listHref(line, code === 'Unexplained' ? `sale:${state}` : `why:${code}`);
}
