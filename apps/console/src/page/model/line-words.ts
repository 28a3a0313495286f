import type { CapacityLine, Withheld } from '@quartermaster/api/inventory-views';
import { reservationsHref } from './addresses.ts';
import { headroomCode, keptCode, listHref, withheldWords } from './capacity-words.ts';
import { type LineReserved, lessReserved } from './reserved.ts';
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
  /** `13 of 30 TiB`; `at most` so much while nobody knows what is reserved of it. */
  readonly sellable: string;
  readonly allocated: string;
  readonly reserved: string;
  readonly heldBack: string;
  readonly unknown: string;
  readonly reasons: readonly LineReason[];
}

/** Where the reasons begin among the parts of a line. */
const firstWhy = 3;

export function lineWords(line: CapacityLine, reserved?: LineReserved): LineWords {
  const { unit } = line;
  const division = lessReserved(line.division, reserved);
  const kept = (code: string, amount: number): Withheld => ({ state: 'held-back', code, amount, nodes: 0 });
  const { headroom } = division;
  const known = [...line.why, kept(headroomCode, headroom), kept(keptCode, division.kept - headroom)];
  const why = [...explained(known, 'held-back', division.heldBack), ...explained(known, 'unknown', division.unknown)];
  const amounts = [division.allocated, division.sellable, division.reserved ?? 0, ...why.map(({ amount }) => amount)];
  const { number, text } = roundedParts(unit, amounts);
  const indexes = amounts.map((_, index) => index);
  const of = (state: Withheld['state']): readonly number[] =>
    why.flatMap((each, index) => (each.state === state ? [index + firstWhy] : []));
  return {
    sellable: `${reserved === 'unknown' && division.sellable > 0 ? 'at most ' : ''}${number(1)} of ${text(...indexes)}`,
    allocated: text(0),
    reserved: text(2),
    heldBack: text(...of('held-back')),
    unknown: text(...of('unknown')),
    reasons: why.map((each, index) => ({
      key: `${each.state} ${each.code}`,
      state: each.state,
      text: withheldWords(line, each, of(each.state).length === 1 ? '' : text(index + firstWhy)),
      href: reasonHref(line, each),
    })),
  };
}

/** The reasons of an amount, cut to it; what none of them explains is said to have none. */
function explained(why: readonly Withheld[], state: Withheld['state'], amount: number): readonly Withheld[] {
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
  if (code === keptCode || code === headroomCode) return reservationsHref;
  if (code === 'Quarantined') return listHref(line, 'why:quarantined');
  return listHref(line, code === 'Unexplained' ? `sale:${state}` : `why:${code}`);
}
