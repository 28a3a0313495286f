import { readFileSync } from 'node:fs';
import {
  addQuantity,
  codeOf,
  compareQuantity,
  formatQuantity,
  milliValue,
  negateQuantity,
  parseQuantity,
  type Quantity,
  scaleQuantity,
  subtractQuantity,
  wholeValue,
} from '@quartermaster/kernel';
import { podRequests } from '@quartermaster/kube';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { kubeBinary } from './binaries.ts';
import { makePodVectors, makeQuantityVectors } from './vectors/make-vectors.ts';
import { Oracle, type PairAnswer, type PodAnswer, type QuantityAnswer, type Refusal } from './vectors/oracle.ts';
import { pairQuestions, quantityTexts, storedPods } from './vectors/random-inputs.ts';

const seeds = [1, 20_260_101, 987_654_321];
const largestInt64 = 2n ** 63n - 1n;

let oracle: Oracle;
beforeAll(() => {
  oracle = new Oracle(kubeBinary('kube-oracle'));
});

function isRefusal(answer: object): answer is Refusal {
  return 'error' in answer;
}

function nanosOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}

/** Go prints values above its largest suffix without one, as another value; there we differ on purpose. */
function isSuffixLost(answer: QuantityAnswer): boolean {
  return /^-?[0-9]+$/.test(answer.canonical) && nanosOf(answer.canonical) !== nanosOf(answer.exact);
}

function expectSame(ours: Quantity, theirs: QuantityAnswer): void {
  const [millis, whole] = [milliValue(ours), wholeValue(ours)];
  expect({ nanos: ours.nanos, format: ours.format }).toEqual({ nanos: nanosOf(theirs.exact), format: theirs.format });
  expect({ millis: millis * 1_000_000n, whole: whole * 1_000_000_000n }).toEqual({
    millis: nanosOf(theirs.millis),
    whole: nanosOf(theirs.whole),
  });
  if (!isSuffixLost(theirs)) expect(formatQuantity(ours)).toBe(theirs.canonical);
  // Go's 64-bit results overflow above, and round some negative fractions towards zero.
  if (millis >= 0n && millis <= largestInt64) expect(millis).toBe(BigInt(theirs.milliValue));
  if (whole >= 0n && whole <= largestInt64) expect(whole).toBe(BigInt(theirs.value));
}

/** The scheduler counts in 64 bits; we stop at 2^53-1. */
function saturated({ extended, ...amounts }: PodAnswer): PodAnswer {
  const least = <T extends object>(counts: T): T =>
    Object.fromEntries(
      Object.entries(counts).map(([name, count]: [string, number]) => [name, Math.min(count, Number.MAX_SAFE_INTEGER)]),
    ) as T;
  return { ...least(amounts), extended: least(extended) };
}

function codeThrownBy(text: string): string {
  try {
    parseQuantity(text);
  } catch (thrown) {
    return codeOf(thrown);
  }
  return 'accepted';
}

describe.each(seeds)('our quantities and Go’s, seed %d', (seed) => {
  it('agree on 3000 random texts, refused ones included', () => {
    const texts = fc.sample(quantityTexts, { seed, numRuns: 3000 });
    const answers = oracle.quantities(texts);
    let refused = 0;
    for (const [i, text] of texts.entries()) {
      const answer = answers[i] as QuantityAnswer | Refusal;
      if (isRefusal(answer)) {
        refused += 1;
        expect({ text, outcome: codeThrownBy(text) }).toEqual({ text, outcome: 'invalid_argument' });
      } else {
        expect({ text, outcome: codeThrownBy(text) }).toEqual({ text, outcome: 'accepted' });
        expectSame(parseQuantity(text), answer);
      }
    }
    expect(refused).toBeGreaterThan(100);
    expect(refused).toBeLessThan(2000);
  });

  it('agree on the arithmetic of 1000 random pairs', () => {
    const pairs = fc.sample(pairQuestions, { seed, numRuns: 1000 });
    const answers = oracle.pairs(pairs);
    for (const [i, { left, right, by }] of pairs.entries()) {
      const answer = answers[i] as PairAnswer;
      const [a, b] = [parseQuantity(left), parseQuantity(right)];
      expectSame(addQuantity(a, b), answer.sum);
      expectSame(subtractQuantity(a, b), answer.difference);
      expectSame(scaleQuantity(a, by), answer.scaled);
      expectSame(negateQuantity(a), answer.negated);
      expect(compareQuantity(a, b)).toBe(answer.compared);
    }
  });
});

describe.each(seeds)('our counting of pods and the scheduler’s, seed %d', (seed) => {
  it('agree on 1500 random pods', () => {
    const pods = fc.sample(storedPods, { seed, numRuns: 1500 });
    const answers = oracle.pods(pods);
    for (const [i, pod] of pods.entries()) {
      const answer = saturated(answers[i] as PodAnswer);
      const { extended, ...amounts } = podRequests(pod);
      expect({ pod, counted: { ...amounts, extended: Object.fromEntries(extended) } }).toEqual({ pod, counted: answer });
    }
  });
});

describe('the committed vectors', () => {
  const committed = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

  it('of quantities are what Go answers', () => {
    expect(committed('../../lib/kernel/src/vectors/quantities.json')).toEqual(makeQuantityVectors(oracle));
  });

  it('of pods are what the scheduler answers', () => {
    expect(committed('../../lib/kube/src/pods/vectors/pod-requests.json')).toEqual(makePodVectors(oracle));
  });
});
