import { describe, expect, it } from 'vitest';
import { findObjectPatterns } from './object-patterns.ts';

const linesOf = (text: string): number[] => findObjectPatterns('a.test.ts', text).map(({ line }) => line);

describe('patterns inside objects that are matched', () => {
  it('are found, however deep they are', () => {
    expect(linesOf('expect(a).toMatchObject({\n  message: /b/,\n});')).toEqual([2]);
    expect(linesOf('expect(a).rejects.toMatchObject([{ b: { c: [/d/] } }]);')).toEqual([1]);
    expect(linesOf('expect(a).toEqual({ b: expect.objectContaining({ c: /d/ }) });')).toEqual([1]);
    expect(linesOf('expect(a).toMatchObject({ b: /c/ as unknown as string });')).toEqual([1]);
  });

  it('are none where a matcher of strings gets them, or where objects are not matched', () => {
    expect(linesOf('expect(a).toMatchObject({ message: expect.stringMatching(/b/) });')).toEqual([]);
    expect(linesOf('expect(a.replace(/b/, "")).toMatchObject({ c: 1 });')).toEqual([]);
    expect(linesOf('expect(a).toMatch(/b/);')).toEqual([]);
  });
});
