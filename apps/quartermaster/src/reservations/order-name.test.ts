import { orderText } from '@quartermaster/api/states';
import { describe, expect, it } from 'vitest';
import { isNamedAfter, parseObjectName, parseOrder } from './order-name.ts';

describe('an order', () => {
  it('is typed as it is shown, with numbers of 64 bits', () => {
    const text = 'akash1xyz/18446744073709551615/4294967295/1';
    expect(parseOrder(text)).toEqual({ owner: 'akash1xyz', dseq: 2n ** 64n - 1n, gseq: 4_294_967_295, oseq: 1 });
    expect(orderText(parseOrder(text))).toBe(text);
  });

  it.each(['', 'a', 'a/1', 'a/1/1', 'a/1/1/1/1', '/1/1/1', 'a/x/1/1', 'a b/1/1/1', 'a/-1/1/1', 'a-1-1-1'])(
    'is refused as %j, with its form',
    (text) => {
      expect(() => parseOrder(text)).toThrow(`order "${text}" must be OWNER/DSEQ/GSEQ/OSEQ, such as akash1xyz/1234567/1/1`);
    },
  );

  it.each(['a/18446744073709551616/1/1', 'a/1/4294967296/1', 'a/1/1/4294967296'])(
    'is refused as %s, whose numbers are too large',
    (text) => {
      expect(() => parseOrder(text)).toThrow('must have numbers of 64, 32 and 32 bits');
    },
  );
});

describe('the name of an object', () => {
  it('tells its order', () => {
    expect(parseObjectName('akash1xyz-7-1-2')).toEqual({ owner: 'akash1xyz', dseq: 7n, gseq: 1, oseq: 2 });
    expect(parseObjectName('a-team-7-1-2')).toMatchObject({ owner: 'a-team', dseq: 7n });
    for (const text of ['akash1xyz', 'akash1xyz-7-1', 'Akash-7-1-2', '-7-1-2']) expect(parseObjectName(text)).toBeUndefined();
    expect(() => parseObjectName('a-18446744073709551616-1-1')).toThrow('must have numbers of 64, 32 and 32 bits');
  });

  it.each([
    ['The Owner', 'theowner.4f2a9c-7-1-2', true],
    ['The Owner With A Very Long Name', 'theownerwithaverylon.4f2a9c-7-1-2', true],
    ['…', 'x.4f2a9c-7-1-2', true],
    ['The Owner', 'theowner.4f2a9c-8-1-2', false],
    ['The Owner', 'theowner-7-1-2', false],
    ['Another', 'theowner.4f2a9c-7-1-2', false],
  ])('with a hash can be that of %s: %s, %j', (owner, name, expected) => {
    const parsed = parseObjectName(name);
    expect(parsed !== undefined && isNamedAfter({ owner, dseq: 7n, gseq: 1, oseq: 2 }, parsed)).toBe(expected);
  });
});
