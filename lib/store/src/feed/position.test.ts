import { codeOf, StatusError } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePositions, formatToken, historyId, momentAfter, parseToken, seenBy, tokenExpired } from './position.ts';

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const positions = fc.record({ xid: uint64, seq: uint64 });
const history = historyId(['7', '00000001', '5']);

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('it succeeded');
}

describe('tokens of the feed', () => {
  it('lead back to their place', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(parseToken(history, formatToken(history, position))).toEqual(position);
      }),
    );
  });

  it.each(['', 'x', 'AAAA', 'not a token at all, though long enough', `${formatToken(history, { xid: 1n, seq: 1n })}=`])(
    'cannot be made up: %j',
    (text) => {
      expect(codeOf(failureOf(() => parseToken(history, text)))).toBe('invalid_argument');
    },
  );

  it('of another database tell their holder to begin anew', () => {
    const token = formatToken(historyId(['8', '00000001', '5']), { xid: 1n, seq: 1n });
    const error = failureOf(() => parseToken(history, token));
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ code: 'failed_precondition', details: tokenExpired });
  });

  it('of a database after a failover are others than those before', () => {
    expect(historyId(['7', '00000002', '5'])).not.toEqual(history);
  });
});

describe('seenBy', () => {
  it('knows what had ended when the snapshot was taken', () => {
    const isBefore = seenBy('10:15:10,12');
    expect([9n, 10n, 11n, 12n, 14n, 15n].map(isBefore)).toEqual([true, false, true, false, true, false]);
    expect(seenBy('7:7:')(6n)).toBe(true);
    expect(seenBy('7:7:')(7n)).toBe(false);
  });
});

describe('momentAfter', () => {
  it('is after the transaction of the token, and grows with it', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(momentAfter(formatToken(history, position))).toBe(position.xid + 1n);
      }),
    );
  });
});

describe('comparePositions', () => {
  it('orders by transaction, then by row', () => {
    fc.assert(
      fc.property(positions, positions, (a, b) => {
        const expected = a.xid === b.xid ? Number(a.seq > b.seq) - Number(a.seq < b.seq) : a.xid > b.xid ? 1 : -1;
        expect(comparePositions(a, b)).toBe(expected);
        expect(comparePositions(b, a)).toBe(expected === 0 ? 0 : -expected);
      }),
    );
  });
});
