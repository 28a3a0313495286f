import { seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { packGpuDatabase, unpackGpuDatabase } from './packed-gpu-database.ts';

describe('a packed GPU database', () => {
  it('is what it was when it is unpacked, and the same each time it is packed', () => {
    const text = JSON.stringify({ '10de': { name: 'nvidia', devices: { 2330: { name: 'h100', interface: 'SXM5' } } } });
    expect(unpackGpuDatabase(packGpuDatabase(text))).toBe(text);
    expect(packGpuDatabase(text)).toBe(packGpuDatabase(text));
  });

  it('is refused when a ConfigMap cannot keep it', () => {
    const random = seededRandom(3);
    const noise = Array.from({ length: 1_500_000 }, () => String.fromCharCode(33 + Math.floor(random.next() * 90))).join('');
    expect(() => packGpuDatabase(noise)).toThrow(/GPU database: \d+ bytes when compressed, and a ConfigMap keeps 1024000/);
  });

  it.each(['', 'bm90IGd6aXBwZWQ=', '%%%'])('is refused as %j', (value) => {
    expect(() => unpackGpuDatabase(value)).toThrow('GPU database: not a gzipped text');
  });

  it('is not unpacked beyond what a database may have', () => {
    const bomb = packGpuDatabase(' '.repeat(9 * 2 ** 20));
    expect(() => unpackGpuDatabase(bomb)).toThrow('not a gzipped text');
  });
});
