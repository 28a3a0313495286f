import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { StatusError } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRing, type Sealed } from './key-ring.ts';

const context = 'hosts/4711/spec.bmc.password';
const bytes = fc.uint8Array({ maxLength: 300 });

function keyText(id: string): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

function failureOf(work: () => unknown): StatusError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof StatusError) return thrown;
    throw thrown;
  }
  throw new Error('it succeeded');
}

describe('KeyRing', () => {
  const old = keyText('old');
  const ring = KeyRing.parse(old);
  const rotated = KeyRing.parse(`${keyText('new')}\n${old}`);

  it('opens what it sealed, whatever it is', () => {
    fc.assert(
      fc.property(bytes, fc.string({ unit: 'binary' }), (plain, place) => {
        expect(Buffer.from(ring.open(ring.seal(plain, place), place))).toEqual(Buffer.from(plain));
      }),
    );
  });

  it('seals the same value differently each time, and never shows it', () => {
    const plain = Buffer.from('correct horse battery staple');
    const first = ring.seal(plain, context);
    const second = ring.seal(plain, context);
    expect(Buffer.from(first.bytes).equals(second.bytes)).toBe(false);
    expect(Buffer.from(first.bytes).includes(plain)).toBe(false);
  });

  it('opens nothing of which a single bit was altered', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 0, max: 7 }), (plain, at, bit) => {
        const sealed = ring.seal(plain, context);
        const altered = Uint8Array.from(sealed.bytes);
        const index = at % altered.length;
        altered[index] = (altered[index] ?? 0) ^ (1 << bit);
        expect(failureOf(() => ring.open({ ...sealed, bytes: altered }, context)).code).toBe('internal');
      }),
    );
  });

  it('opens nothing that was cut or lengthened', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.integer({ min: 1, max: 200 }),
        bytes.filter((more) => more.length > 0),
        (plain, cut, more) => {
          const sealed = ring.seal(plain, context);
          const shorter = sealed.bytes.subarray(0, Math.max(0, sealed.bytes.length - cut));
          const longer = Buffer.concat([sealed.bytes, more]);
          for (const wrong of [shorter, longer])
            expect(failureOf(() => ring.open({ ...sealed, bytes: wrong }, context)).code).toBe('internal');
        },
      ),
    );
  });

  it('opens a value in its own place only', () => {
    const sealed = ring.seal(Buffer.from('secret of 4711'), context);
    const error = failureOf(() => ring.open(sealed, 'hosts/4712/spec.bmc.password'));
    expect(error.code).toBe('internal');
    expect(inspect(error)).not.toContain('secret of');
  });

  it('does not open the value of one seal with the wrapped key of another', () => {
    const one = ring.seal(Buffer.from('one'), context);
    const other = ring.seal(Buffer.from('two'), context);
    const mixed: Sealed = { keyId: one.keyId, bytes: Buffer.concat([one.bytes.subarray(0, 61), other.bytes.subarray(61)]) };
    expect(failureOf(() => ring.open(mixed, context)).code).toBe('internal');
  });

  it('says which key is missing and what to do', () => {
    const sealed = ring.seal(Buffer.from('x'), context);
    const error = failureOf(() => KeyRing.parse(keyText('other')).open(sealed, context));
    expect(error.code).toBe('failed_precondition');
    expect(error.message).toContain('"old"');
  });

  it('takes a key of the same name with other bytes for damage', () => {
    const sealed = ring.seal(Buffer.from('x'), context);
    expect(failureOf(() => KeyRing.parse(keyText('old')).open(sealed, context)).code).toBe('internal');
  });

  it('seals under the first key and opens under all', () => {
    const before = ring.seal(Buffer.from('x'), context);
    expect(rotated.currentKeyId).toBe('new');
    expect(rotated.seal(Buffer.from('y'), context).keyId).toBe('new');
    expect(Buffer.from(rotated.open(before, context)).toString()).toBe('x');
  });

  it('brings a value under the current key, after which the old key is not needed', () => {
    fc.assert(
      fc.property(bytes, (plain) => {
        const moved = rotated.rewrap(ring.seal(plain, context));
        expect(moved?.keyId).toBe('new');
        if (moved === undefined) return;
        expect(Buffer.from(rotated.open(moved, context))).toEqual(Buffer.from(plain));
        expect(failureOf(() => ring.open(moved, context)).code).toBe('failed_precondition');
        expect(rotated.rewrap(moved)).toBeUndefined();
      }),
    );
  });

  it('refuses to rewrap what was altered', () => {
    const sealed = ring.seal(Buffer.from('x'), context);
    const altered = Uint8Array.from(sealed.bytes);
    altered[20] = (altered[20] ?? 0) ^ 1;
    expect(failureOf(() => rotated.rewrap({ ...sealed, bytes: altered })).code).toBe('internal');
  });

  it('generates rings that can be put before one another', () => {
    const first = KeyRing.generate();
    const both = KeyRing.parse(KeyRing.generate() + first);
    expect(both.keyIds).toHaveLength(2);
    expect(both.keyIds[1]).toBe(KeyRing.parse(first).currentKeyId);
  });

  it('reads lines with comments, and one line with commas as an environment variable has it', () => {
    const [one, two] = [keyText('one'), keyText('two')];
    expect(KeyRing.parse(`# keys of the store\n\n ${one} # current\n${two}\n`).keyIds).toEqual(['one', 'two']);
    expect(KeyRing.parse(`${one},${two}`).keyIds).toEqual(['one', 'two']);
  });

  it('shows its keys in no way', () => {
    const text = keyText('k1');
    const parsed = KeyRing.parse(text);
    const shown = [inspect(parsed, { depth: 9, showHidden: true }), JSON.stringify({ parsed }), String(Object.values(parsed))].join();
    expect(shown).not.toContain(text.slice(3, 20));
    expect(inspect(parsed)).toBe('KeyRing(k1)');
  });

  it.each([
    ['', 'has no key'],
    ['# nothing\n', 'has no key'],
    ['no colon', 'line 1'],
    [`${old}\nbad id:${old.slice(4)}`, 'line 2'],
    [`a:${randomBytes(16).toString('base64')}`, '32 random bytes'],
    ['a:not base64 at all!', '32 random bytes'],
    [`a:${Buffer.alloc(32).toString('base64')}`, 'not random'],
    [`${old}\n${keyText('old')}`, 'id is a duplicate'],
    [`${old}\nother:${old.slice(4)}`, 'key is a duplicate'],
  ])('refuses the text %#, naming the rule and showing nothing', (text, rule) => {
    const error = failureOf(() => KeyRing.parse(text));
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toContain(rule);
    expect(error.message).not.toContain(old.slice(4, 20));
  });
});
