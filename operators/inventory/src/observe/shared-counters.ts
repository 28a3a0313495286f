import { milliValue, parseQuantity } from '@quartermaster/kernel';
import type { DeviceCounter } from '../model/observed.ts';
import type { DeviceView, SliceView } from './observe-slice.ts';

/*
 * Devices of a pool may be parts of one thing: a whole card and the slices that it can be cut into. They draw on counters that they share, such as memory or places
 * on the card, and who takes one of them leaves less for the others. The scheduler gives away a device only while all of its counters have enough left.
 */

/** What is left of the counters of one pool. */
export class SharedCounters {
  readonly #total = new Map<string, number>(); // counter -> all there is
  readonly #used = new Map<string, number>(); // counter -> what claimed devices draw

  constructor(slices: readonly SliceView[], taken: readonly DeviceView[]) {
    for (const { spec } of slices) {
      for (const { name, counters } of spec.sharedCounters ?? []) {
        for (const [counter, { value }] of Object.entries(counters)) this.#total.set(`${name}/${counter}`, amountOf(value) ?? 0);
      }
    }
    for (const device of taken) {
      // What cannot be read draws everything: too little is sold rather than a card twice.
      for (const { name, need } of needsOf(device)) this.#used.set(name, (this.#used.get(name) ?? 0) + (need ?? Number.MAX_SAFE_INTEGER));
    }
  }

  /** What a device draws on; undefined when it shares nothing. */
  of(device: DeviceView): readonly DeviceCounter[] | undefined {
    const needs = needsOf(device);
    if (needs.length === 0) return undefined;
    return needs.map(({ name, need }) => {
      const total = this.#total.get(name) ?? 0;
      return { name, need: need ?? Number.MAX_SAFE_INTEGER, left: Math.max(total - (this.#used.get(name) ?? 0), 0), total };
    });
  }
}

function needsOf({ consumesCounters = [] }: DeviceView): { readonly name: string; readonly need: number | undefined }[] {
  return consumesCounters.flatMap(({ counterSet, counters }) =>
    Object.entries(counters).map(([counter, { value }]) => ({ name: `${counterSet}/${counter}`, need: amountOf(value) })),
  );
}

function amountOf(quantity: string): number | undefined {
  try {
    return Number(milliValue(parseQuantity(quantity)));
  } catch {
    return undefined;
  }
}
