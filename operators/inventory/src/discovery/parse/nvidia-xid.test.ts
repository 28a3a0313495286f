import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fatalXids, fitLine, isXidRecord, parseXids, xidDigest, xidText } from './nvidia-xid.ts';

const card = '0000:3b:00.0';
const kernel = (text: string, seconds = 10): string => `4,1200,${seconds * 1_000_000},-,caller=T17;${text}`;
const person = (text: string): string => `12,1300,99000000,-;${text}`;
const xid = (code: number, place = 'PCI:0000:3b:00', seconds = 10): string =>
  kernel(`NVRM: Xid (${place}): ${code}, pid='<unknown>', name=<unknown>, something`, seconds);
const parse = (...lines: readonly string[]) => Object.fromEntries(parseXids(lines.join('\n')));

describe('parseXids', () => {
  it('finds the card, the codes and the time of the first', () => {
    expect(parse(xid(63, 'PCI:0000:3b:00', 12.5), xid(63), xid(79, 'PCI:0000:3b:00', 99))).toEqual({
      [card]: { codes: [63, 79], sinceStartMs: 12_500 },
    });
  });

  it.each(['0000:3b:00', 'PCI:00000000:3b:00', 'PCI:0000:3B:00', 'PCI:0000:3b:00.0'])('knows the card as %s', (place) => {
    expect(Object.keys(parse(xid(79, place)))).toEqual([card]);
  });

  it('takes no notice of errors of programs', () => {
    for (const code of [13, 31, 43, 45, 68, 109, 790]) expect(parse(xid(code))).toEqual({});
  });

  it('begins anew when the driver is loaded anew, and with a card that a person calls fit', () => {
    const loading = kernel('NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.1');
    expect(parse(xid(79), loading)).toEqual({});
    expect(parse(xid(79), person(fitLine(card)))).toEqual({});
    expect(parse(xid(79), person(fitLine('0000:3c:00.0')))).toHaveProperty([card]);
    expect(parse(xid(79), person(fitLine(card)), xid(48, 'PCI:0000:3b:00', 20))).toEqual({ [card]: { codes: [48], sinceStartMs: 20_000 } });
  });

  it('goes on with what is known from before, whatever is left of the log', () => {
    const known = new Map([[card, { codes: [79] }]]);
    expect(parseXids('', known)).toEqual(known);
    expect(parseXids(xid(13), known)).toEqual(known);
    expect(parseXids(xid(95), known).get(card)).toEqual({ codes: [79, 95] });
    expect(parseXids(person(fitLine('0000:3c:00.0')), known)).toEqual(known);
    expect(parseXids(person(fitLine(card)), known).size).toBe(0);
    expect(parseXids(kernel('NVRM: loading NVIDIA UNIX'), known).size).toBe(0);
  });

  it('says the same of the end of a log as of all of it, when what was known at the cut is known', () => {
    const cards = [card, '0000:3c:00.0'];
    const record = fc.oneof(
      fc.tuple(fc.constantFrom(...cards), fc.constantFrom(13, 48, 79)).map(([place, code]) => xid(code, `PCI:${place.replace('.0', '')}`)),
      fc.constantFrom(...cards).map((place) => person(fitLine(place))),
      fc.constant(kernel('NVRM: loading NVIDIA UNIX')),
    );
    const codesOf = (reports: ReturnType<typeof parseXids>) => new Map([...reports].map(([place, { codes }]) => [place, new Set(codes)]));
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), fc.nat(20), (records, at) => {
        const [all, left] = [records.join('\n'), records.slice(at).join('\n')];
        const known = parseXids(records.slice(0, at).join('\n'));
        expect(codesOf(parseXids(left, known))).toEqual(codesOf(parseXids(all)));
        // The agent read all of it before, and restarts when the beginning is lost.
        expect(codesOf(parseXids(left, parseXids(all)))).toEqual(codesOf(parseXids(all)));
      }),
    );
  });

  it('believes only the kernel that a card is ill, and only others that it is fit', () => {
    expect(parse(person("NVRM: Xid (PCI:0000:3b:00): 79, pid='1'"))).toEqual({});
    expect(parse(xid(79), kernel(fitLine(card)))).toHaveProperty([card]);
    expect(parse(kernel('tenant[7]: NVRM: Xid (PCI:0000:3b:00): 79, x'))).toEqual({});
  });

  it('survives whatever a log holds', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('4,1,2,-;', 'NVRM: Xid (PCI:', '0000:3b:00', '): ', '79', '\n', ';', ',', fitLine(card), 'NVRM: loading NVIDIA'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        for (const [address, { codes, sinceStartMs }] of parseXids(parts.join(''))) {
          expect(address).toMatch(/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/);
          expect(codes.every((code) => fatalXids.has(code))).toBe(true);
          expect(sinceStartMs).toSatisfy(Number.isSafeInteger);
        }
      }),
    );
  });

  it('takes time in proportion to a long log', () => {
    const log = `${xid(13)}\n`.repeat(50_000) + xid(79);
    expect(parseXids(log).size).toBe(1);
  });
});

describe('the text of a report', () => {
  it('names every code and what to do', () => {
    const text = xidText([48, 79], card);
    expect(text).toContain('Xid 48 (memory error that could not be corrected), Xid 79 (fallen off the bus)');
    expect(text).toContain(fitLine(card));
  });
});

describe('xidDigest', () => {
  it('differs for every record that may change what is held against a card, and for no other', () => {
    const digests = [[xid(79)], [xid(79), person(fitLine(card))], [person(fitLine(card))], [kernel('NVRM: loading NVIDIA UNIX')], []];
    expect(new Set(digests.map((records) => xidDigest(records.join('\n')))).size).toBe(4);
    expect(xidDigest(xid(13))).toBe(xidDigest(''));
  });
});

describe('isXidRecord', () => {
  it('keeps every record that can change a report', () => {
    for (const record of [xid(79), kernel('NVRM: loading NVIDIA UNIX'), person(fitLine(card))]) expect(isXidRecord(record)).toBe(true);
    expect(isXidRecord(kernel('eth0: link up'))).toBe(false);
  });
});
