import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NatsNames, textOf, tokenOf } from './nats-names.ts';

/** Text without halves of surrogate pairs, which keys may not have. */
const text = fc.string({ unit: 'binary' });

describe('keys in subjects', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(text, (key) => {
        expect(textOf(tokenOf(key))).toBe(key);
      }),
    );
  });

  it('are one part of a subject each, whatever is in them', () => {
    fc.assert(
      fc.property(text, (key) => {
        expect(tokenOf(key)).toMatch(/^[A-Za-z0-9_=-]+$/);
      }),
    );
  });

  it('differ when the keys differ', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(tokenOf(a) === tokenOf(b)).toBe(a === b);
      }),
    );
  });

  it('stay readable where they can', () => {
    expect(tokenOf('cluster-1_b')).toBe('cluster-1_b');
    expect(tokenOf('eu.west')).toBe('eu=2ewest');
    expect(tokenOf('')).toBe('=');
  });
});

describe('NatsNames', () => {
  const names = new NatsNames('qm');

  it('finds the key at the end of any subject', () => {
    fc.assert(
      fc.property(text, (key) => {
        expect(names.keyOf(names.stateSubject('a.b', key))).toBe(key);
        expect(names.keyOf(names.eventSubject('a.b', 3, key))).toBe(key);
        expect(names.keyOf(names.deadLetterSubject('a.b', 'g', key))).toBe(key);
      }),
    );
  });

  it('never gives two topics a subject in common', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const topic = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.'));
    fc.assert(
      fc.property(topic, topic, word, (one, other, key) => {
        fc.pre(one !== other);
        expect(matches(names.stateSubject(one), names.stateSubject(other, key))).toBe(false);
        expect(matches(names.eventSubjects(one), names.eventSubject(other, 1, key))).toBe(false);
        expect(names.eventStream(one)).not.toBe(names.eventStream(other));
      }),
    );
  });

  it.each(['', 'Upper', 'a.b', '1a', 'a b', 'x'.repeat(41)])('refuses the prefix %j', (prefix) => {
    expect(() => new NatsNames(prefix)).toThrow(/prefix/);
  });
});

/** As a server matches a pattern with "*" only. */
function matches(pattern: string, subject: string): boolean {
  const [want, have] = [pattern.split('.'), subject.split('.')];
  return want.length === have.length && want.every((part, i) => part === '*' || part === have[i]);
}
