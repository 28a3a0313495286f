import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fifo } from './fifo.ts';

it('gives items back in the order in which they came, whatever the mix of pushes and shifts', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 500 }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === undefined) expect(fifo.shift()).toBe(model.shift());
        else {
          fifo.push(step);
          model.push(step);
        }
        expect(fifo.size).toBe(model.length);
      }
    }),
  );
});

it('keeps the order while it drops the spent half of a long list', () => {
  const fifo = new Fifo<number>();
  for (let i = 0; i < 100_000; i += 1) fifo.push(i);
  const out = Array.from({ length: 100_000 }, () => fifo.shift());
  expect(out.every((item, i) => item === i)).toBe(true);
  expect(fifo.shift()).toBeUndefined();
});
