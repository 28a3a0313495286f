import type { CapacityLine } from '@quartermaster/api/inventory-views';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineWords } from './line-words.ts';
import { roundedParts } from './rounded-parts.ts';

const tib = 1024 ** 4;

const line: CapacityLine = {
  kind: 'resource',
  name: 'cpu',
  unit: 'millicores',
  division: { allocated: 3_040_500, sellable: 2_829_500, heldBack: 210_000, unknown: 0 },
  why: [
    { state: 'held-back', code: 'Tainted', amount: 192_000, nodes: 4 },
    { state: 'held-back', code: 'System', amount: 18_000, nodes: 0 },
  ],
};

describe('the words of a line', () => {
  it('say how much each reason explains', () => {
    const { sellable, allocated, heldBack, reasons } = lineWords(line);
    expect(`${heldBack} held back: ${reasons.map(({ text }) => text).join(', ')}`).toBe(
      '210 held back: 192 on 4 tainted nodes, 18 reserved by kubelets',
    );
    // Rounded one by one, 3 040.5 and 2 829.5 would be one more than there is.
    expect([sellable, allocated]).toEqual(['2\u202f829 of 6\u202f080', '3\u202f041']);
  });

  it('say that an amount has no reason rather than nothing, and leave the amount of the only one out', () => {
    const { reasons } = lineWords({ ...line, why: [] });
    expect(reasons.map(({ text, href }) => [text, decodeURIComponent(href)])).toEqual([
      ['without a reported reason', '/nodes?q=sale:held-back'],
    ]);
  });

  it('lead to the nodes that a reason is about', () => {
    expect(lineWords(line).reasons.map(({ href }) => decodeURIComponent(href))).toEqual(['/nodes?q=why:Tainted', '/nodes?q=sale:sellable']);
  });
});

describe('rounded parts', () => {
  it('are in the unit of the whole, and what is too little to be seen says so', () => {
    const { number, text } = roundedParts('bytes', [14 * tib, 13 * tib, 2.25 * tib, 0.75 * tib, 1]);
    expect([text(0), text(1), text(2), text(3), text(4), number(0, 1, 2, 3, 4)]).toEqual([
      '14 TiB',
      '13 TiB',
      '2.3 TiB',
      '0.7 TiB',
      '<0.1 TiB',
      '30',
    ]);
  });

  it('add up to the whole', () => {
    const amounts = fc.array(fc.nat(10_000_000), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(amounts, fc.constantFrom('devices', 'millicores', 'bytes'), (parts, unit) => {
        const { number } = roundedParts(unit, parts);
        const value = (text: string): number => (text.startsWith('<') ? 0 : Number(text.replaceAll('\u202f', '')));
        const all = parts.map((_, index) => index);
        expect(all.reduce((sum, index) => sum + value(number(index)), 0)).toBeCloseTo(value(number(...all)), 5);
      }),
    );
  });
});
