import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressPool, addressRange, ipv4ToNumber, numberToIpv4 } from './address-pool.ts';

describe('AddressPool', () => {
  it('never gives a number to two holders, whatever is taken, kept and released', () => {
    const step = fc.record({
      kind: fc.constantFrom('take', 'keep', 'release'),
      holder: fc.constantFrom('a', 'b', 'c'),
      number: fc.integer({ min: 0, max: 12 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pool = new AddressPool(1, 10);
        const held = new Map<number, string>(); // number -> holder
        for (const { kind, holder, number } of steps) {
          if (kind === 'keep') {
            pool.keep(number, holder);
            if (number >= 1 && number <= 10) held.set(number, holder);
          } else if (kind === 'release') {
            pool.release(number);
            held.delete(number);
          } else if (held.size === 10) expect(() => pool.take(holder)).toThrow(/all 10 addresses of the pool are in use/);
          else {
            const taken = pool.take(holder);
            expect(held.has(taken)).toBe(false);
            expect(taken).toBeGreaterThanOrEqual(1);
            expect(taken).toBeLessThanOrEqual(10);
            held.set(taken, holder);
          }
        }
        for (const [number, holder] of held) expect(pool.holderOf(number)).toBe(holder);
      }),
    );
  });
});

describe('addressRange', () => {
  it('reads networks and ranges', () => {
    const range = (text: string): string[] => Object.values(addressRange(text)).map(numberToIpv4);
    expect(range('192.0.2.0/28')).toEqual(['192.0.2.0', '192.0.2.15']);
    expect(range('198.51.100.10-198.51.100.19')).toEqual(['198.51.100.10', '198.51.100.19']);
  });

  it.each(['', 'everywhere', '192.0.2.9-192.0.2.1', '192.0.2/24'])('refuses "%s"', (text) => {
    expect(() => addressRange(text)).toThrow(/must be a network such as 192\.0\.2\.0\/24/);
  });

  it('turns addresses into numbers and back', () => {
    const part = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(part, part, part, part), (parts) => {
        expect(numberToIpv4(ipv4ToNumber(parts.join('.')))).toBe(parts.join('.'));
      }),
    );
  });
});
