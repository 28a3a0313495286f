import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmedIn, dseqOf, eventWish, leaseNumbers, logWish, shellWish } from './query-values.ts';

const of = (text: string) => new URLSearchParams(text);
const refusal = (text: string): unknown => expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(text) });

describe('numbers of a lease', () => {
  it('are read as they are', () => {
    expect(leaseNumbers({ dseq: '18446744073709551615', gseq: '4294967295', oseq: '1' })).toEqual({
      dseq: 2n ** 64n - 1n,
      gseq: 2 ** 32 - 1,
      oseq: 1,
    });
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (dseq) => dseqOf(String(dseq)) === dseq));
  });

  it.each(['', '0', '-1', '01', '1.0', '1e3', '0x1', ' 1', '1 ', '1\n', '+1', '١', '1_0', '18446744073709551616', '9'.repeat(100)])(
    'are none as in "%s"',
    (text) => {
      expect(() => dseqOf(text)).toThrow(refusal('dseq: must be a whole number'));
      expect(() => leaseNumbers({ dseq: '1', gseq: text, oseq: '1' })).toThrow(refusal('gseq: must be a whole number'));
    },
  );

  it('are all there', () => {
    expect(() => dseqOf(undefined)).toThrow(refusal('dseq'));
    expect(() => leaseNumbers({ dseq: '1', gseq: '1' })).toThrow(refusal('oseq'));
    expect(() => leaseNumbers({ dseq: '1', gseq: '4294967296', oseq: '1' })).toThrow(refusal('gseq'));
  });
});

describe('what is asked of logs and events', () => {
  it.each([
    ['', { services: [], follow: false, tail: undefined }],
    ['service=web', { services: ['web'], follow: false, tail: undefined }],
    ['service=web,db,web,&follow=true&tail=0', { services: ['web', 'db'], follow: true, tail: 0 }],
    ['follow=1&tail=-1', { services: [], follow: true, tail: undefined }],
    ['follow=0&tail=', { services: [], follow: false, tail: undefined }],
    ['follow=false&tail=1000000', { services: [], follow: false, tail: 1_000_000 }],
    // As a client of the ecosystem asks for all of it.
    ['follow=false&tail=10000000', { services: [], follow: false, tail: 1_000_000 }],
    ['follow', { services: [], follow: false, tail: undefined }],
  ])('is read from "%s"', (query, wish) => {
    expect(logWish(of(query))).toEqual(wish);
  });

  it.each([
    ['follow=yes', 'field "follow": must be 0, 1, true or false'],
    ['follow=1&follow=0', 'field "follow": must be there once'],
    ['tail=-2', 'field "tail": must be a whole number from -1 to 9007199254740991'],
    ['tail=1.5', 'field "tail"'],
    ['tail=1e3', 'field "tail"'],
    ['tail=x', 'field "tail"'],
    ['services=web', 'field "services": is not a parameter here: there are follow, service, tail'],
    [`service=${Array.from({ length: 65 }, (_, i) => `s${i}`).join(',')}`, 'at most 64 services'],
  ])('is refused in "%s"', (query, text) => {
    expect(() => logWish(of(query))).toThrow(refusal(text));
  });

  it('is all that is wrong at once', () => {
    expect(() => logWish(of('follow=x&tail=y&z=1'))).toThrow(refusal('field "follow": must be 0, 1, true or false; field "tail"'));
  });

  it('is only whether to follow, of events', () => {
    expect([eventWish(of('')), eventWish(of('follow=true'))]).toEqual([{ follow: false }, { follow: true }]);
    expect(eventWish(of('follow=false&tail=10000000'))).toEqual({ follow: false });
    expect(() => eventWish(of('service=web'))).toThrow(refusal('there are follow, tail'));
  });
});

describe('what is asked of a shell', () => {
  it.each([
    ['cmd0=sh', { command: ['sh'], tty: false, stdin: false, service: '', podIndex: 0 }],
    [
      'cmd1=-c&cmd0=sh&cmd2=a%20b&tty=1&stdin=1&service=web&podIndex=3',
      { command: ['sh', '-c', 'a b'], tty: true, stdin: true, service: 'web', podIndex: 3 },
    ],
    ['cmd0=echo&cmd1=', { command: ['echo', ''], tty: false, stdin: false, service: '', podIndex: 0 }],
  ])('is read from "%s"', (query, wish) => {
    expect(shellWish(of(query))).toEqual(wish);
  });

  it('has its words in their order, however many there are', () => {
    const word = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(
        word.filter((each) => each !== ''),
        fc.array(word, { maxLength: 99 }),
        (first, more) => {
          const words = [first, ...more];
          const query = new URLSearchParams(words.map((each, at): [string, string] => [`cmd${at}`, each]).reverse());
          expect(shellWish(query).command).toEqual(words);
        },
      ),
    );
  });

  it.each([
    ['tty=1', 'cmd0": is missing'],
    ['cmd0=', 'cmd0": must not be empty'],
    ['cmd0=a&cmd2=b', 'without a gap'],
    ['cmd1=a', 'without a gap'],
    ['cmd00=a', 'without a gap'],
    ['cmd0=a&cmd0=b', 'must be there once'],
    ['cmd=a', 'cmd0": is missing'],
    ['cmd0=a&tty=2', 'field "tty"'],
    ['cmd0=a&podIndex=-1', 'field "podIndex": must be a whole number from 0'],
    ['cmd0=a&podIndex=10001', 'field "podIndex"'],
    ['cmd0=a&pod=1', 'field "pod": is not a parameter here'],
    [Array.from({ length: 101 }, (_, i) => `cmd${i}=a`).join('&'), 'at most 100 words'],
    [`cmd0=${'x'.repeat(16_385)}`, 'at most 16384 characters'],
  ])('is refused in "%s"', (query, text) => {
    expect(() => shellWish(of(query))).toThrow(refusal(text));
  });
});

describe('what is confirmed', () => {
  it('is each volume that is named, and nothing else is a parameter', () => {
    expect(confirmedIn(of('confirm=web/data&confirm=db/data'))).toEqual(['web/data', 'db/data']);
    expect(confirmedIn(of(''))).toEqual([]);
    expect(() => confirmedIn(of('confirm=a&confrm=b'))).toThrow(refusal('confrm: is not a parameter here'));
  });
});
