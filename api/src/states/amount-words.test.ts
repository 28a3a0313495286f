import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountText, amountWords, partText, unequalTexts } from './amount-words.ts';

const Mi = 2 ** 20;
const Gi = 2 ** 30;

describe('the words of an amount', () => {
  it.each([
    ['cpu', 500, '0.5 cores'],
    ['cpu', 1000, '1 core'],
    ['cpu', 14_400, '14.4 cores'],
    ['memory', 64 * Gi, '64 GiB of memory'],
    ['memory', 1023.96 * Gi, '1 TiB of memory'],
    ['ephemeral-storage', 5, '5 B of ephemeral storage'],
    ['storage/beta3', 2.25 * 1024 * Gi, '2.25 TiB of storage class beta3'],
    ['gpu', 1, '1 GPU'],
    ['gpu/nvidia/t4/pcie/16gi', 4, '4 GPUs (nvidia t4 pcie 16gi)'],
    ['nvidia.com/gpu', 2, '2 × nvidia.com/gpu'],
    ['gpu.nvidia.com=nvidia/t4/pcie/16gi', 2, '2 × gpu.nvidia.com (nvidia t4 pcie 16gi)'],
    ['pods', 1, '1 pod slot'],
    ['pods', 110, '110 pod slots'],
    ['ports', 1, '1 external port'],
    ['leased-ips', 2, '2 leased addresses'],
  ])('has the unit and what it is of: %s %d', (resource, amount, words) => {
    expect(amountWords(resource, amount)).toBe(words);
  });

  it('rounds what is there down, and takes smaller units where larger ones hide the difference', () => {
    expect(unequalTexts('memory', 64 * Gi - Mi, 64 * Gi)).toEqual(['63.9 GiB', '64 GiB']);
    expect(unequalTexts('memory', 64 * Gi, 64 * Gi + Mi)).toEqual(['65536 MiB', '65537 MiB']);
    expect(unequalTexts('memory', 64 * Gi, 64 * Gi + 1)).toEqual(['68719476736 B', '68719476737 B']);
    expect(unequalTexts('cpu', 7960, 8000)).toEqual(['7.9 cores', '8 cores']);
    expect(unequalTexts('cpu', 8000, 8010)).toEqual(['8 cores', '8.01 cores']);
    expect(unequalTexts('gpu', 1, 2)).toEqual(['1', '2']);
    expect(partText('memory', 64 * Gi - Mi, 64 * Gi)).toBe('63.9 of 64 GiB');
    expect(partText('memory', 64 * Gi, 64 * Gi + Mi)).toBe('65536 of 65537 MiB');
    expect(partText('memory', 512 * Gi, 1024 * Gi)).toBe('0.5 of 1 TiB');
    expect(partText('cpu', 0, 8000)).toBe('0 of 8 cores');
    expect(partText('nvidia.com/gpu', 3, 8)).toBe('3 of 8');
  });

  it('never says the same of two amounts, nor more of the smaller one than there is', () => {
    const amounts = fc.tuple(fc.integer({ min: 0, max: 2 ** 50 }), fc.integer({ min: 1, max: 2 ** 40 }));
    fc.assert(
      fc.property(fc.constantFrom('cpu', 'memory', 'gpu'), amounts, (resource, [less, difference]) => {
        const [there, asked] = unequalTexts(resource, less, less + difference);
        expect(there).not.toBe(asked);
        expect(bytesOf(there)).toBeLessThanOrEqual(resource === 'cpu' ? less / 1000 : less);
        const [part = '', whole = ''] = partText(resource, less, less + difference).split(' of ');
        expect(part).not.toBe(whole.split(' ')[0]);
      }),
    );
    expect(amountText('memory', 0)).toBe('0 B');
  });
});

function bytesOf(text: string): number {
  const [number = '', unit = 'B'] = text.split(' ');
  const power = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].indexOf(unit);
  return Number(number) * 1024 ** Math.max(power, 0);
}
