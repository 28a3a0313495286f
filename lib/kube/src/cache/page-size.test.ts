import { describe, expect, it } from 'vitest';
import { PageSize } from './page-size.ts';

describe('PageSize', () => {
  it('asks for few objects before it knows their size', () => {
    expect(new PageSize().limit).toBe(100);
  });

  it.each([
    ['pods of 4 KB', 4_000, 500],
    ['nodes of 11 KB', 11_000, 181],
    ['leases of 500 bytes', 500, 1_000],
    ['secrets of 1 MB', 1_000_000, 20],
  ])('fits a page of %s', (_, bytesEach, limit) => {
    const size = new PageSize();
    size.learn(bytesEach * 100, 100);
    expect(size.limit).toBe(limit);
  });

  it('learns nothing from an empty page', () => {
    const size = new PageSize();
    size.learn(200, 0);
    expect(size.limit).toBe(100);
  });
});
