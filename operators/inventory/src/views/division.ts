import type { Withheld } from '@quartermaster/api/inventory-views';
import {
  addDivisions,
  type Division,
  divideAmount,
  noDivision,
  noSickCards,
  type SellState,
  type SickCards,
} from '@quartermaster/api/states';
import type { Amount } from '../model/amount.ts';
import type { NodeInventory } from '../model/node-inventory.ts';

/** An amount as it divides, and why some of it is held back or unknown: all of both, and no more. */
export interface DividedAmount {
  readonly division: Division;
  readonly why: readonly Withheld[];
}

/** What keeps an amount from being sold as a whole; `sellable` when nothing does. */
export interface Withholding {
  readonly state: SellState;
  /** Of the first reason. */
  readonly code: string;
}

/** What is left over on a node that can be sold. */
export interface LeftOver {
  /** What there is beyond what is allocatable. */
  readonly kept: string;
  /** What else cannot be promised. */
  readonly rest: string;
}

const none: readonly Withheld[] = [];

/** Divides an amount, and says why. */
export function divide(amount: Amount, by: Withholding, left: LeftOver, sick: SickCards = noSickCards): DividedAmount {
  const { capacity, allocatable } = amount;
  if (capacity === 0) return { division: noDivision, why: none };
  const division = divideAmount(amount, by.state, sick);
  if (by.state === 'unknown') return { division, why: [{ state: 'unknown', code: by.code, amount: capacity, nodes: 1 }] };
  const { heldBack } = division;
  if (heldBack === 0) return { division, why: none };
  if (by.state === 'held-back') return { division, why: [{ state: 'held-back', code: by.code, amount: heldBack, nodes: 1 }] };
  const sickCards = Math.min(sick.all, capacity);
  const kept = Math.min(Math.max(capacity - sickCards - allocatable, 0), heldBack - sickCards);
  const why = [
    heldBackBy('Quarantined', sickCards, 0),
    heldBackBy(left.kept, kept, 0),
    heldBackBy(left.rest, heldBack - sickCards - kept, 1),
  ];
  return { division, why: why.filter((each) => each.amount > 0) };
}

const heldBackBy = (code: string, amount: number, nodes: number): Withheld => ({ state: 'held-back', code, amount, nodes });

export const withholdingOf = ({ sellability: { state, reasons } }: Pick<NodeInventory, 'sellability'>): Withholding => ({
  state,
  code: reasons[0]?.code ?? '',
});

/** Adds divided amounts up, by reason. Of one reason, nodes add up as well. */
export class DivisionSum {
  #division = noDivision;
  readonly #why = new Map<string, { -readonly [K in keyof Withheld]: Withheld[K] }>(); // state and code -> sum

  add({ division, why }: DividedAmount): void {
    this.#division = addDivisions(this.#division, division);
    for (const each of why) {
      const key = `${each.state} ${each.code}`;
      const sum = this.#why.get(key);
      if (sum === undefined) this.#why.set(key, { ...each });
      else {
        sum.amount += each.amount;
        sum.nodes += each.nodes;
      }
    }
  }

  /** Reasons with the most first. */
  total(): DividedAmount {
    return { division: this.#division, why: [...this.#why.values()].toSorted((a, b) => b.amount - a.amount) };
  }
}
