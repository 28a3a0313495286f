import fc from 'fast-check';
import type { InventoryKnowledge } from '../src/model/knowledge.ts';
import { type CommitLevels, parseCommitLevel, soldOnce } from '../src/placement/commit-level.ts';
import { storageRequests } from './book-requests.ts';

const kinds = [
  ...['reserve', 'reserve', 'reserve', 'reserve', 'activate', 'activate', 'pod', 'pod', 'pod', 'strange-pod', 'move-pod', 'remove-pod'],
  ...['unreserve', 'confirm', 'node', 'remove-node', 'hold-back', 'claim', 'remove-claim', 'class', 'pools', 'replan', 'restart', 'whole'],
  ...['expire', 'stale', 'unknown-class', 'unknown-class', 'gone-class'],
] as const;

export interface Step {
  readonly kind: (typeof kinds)[number];
  /** Which one; taken modulo what there is. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export function pick<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(list.length, 1)];
}

const which = fc.nat(59);
const stepOf = (kind: fc.Arbitrary<Step['kind']>): fc.Arbitrary<Step> =>
  fc.tuple(kind, which, which, which).map(([of, a, b, c]): Step => ({ kind: of, a, b, c }));
const any = stepOf(fc.nat(kinds.length - 1).map((at) => pick(kinds, at) ?? 'reserve'));
const reserve = stepOf(fc.constant('reserve'));

const upTo = (maxLength: number): fc.Arbitrary<readonly Step[]> => fc.array(any, { minLength: 8, maxLength, size: 'max' });

/**
 * Small numbers: quick to make, and shrunk to the least that fails. Ten to forty steps, of which the first two reserve, or most others would find nothing to work on.
 */
export const sequences: fc.Arbitrary<readonly Step[]> = fc
  .tuple(reserve, reserve, fc.oneof({ weight: 5, arbitrary: upTo(14) }, { weight: 1, arbitrary: upTo(38) }))
  .map(([first, second, others]) => [first, second, ...others]);

const storageKinds = [
  ...[
    'activate',
    'activate',
    'unreserve',
    'claim',
    'remove-claim',
    'expire',
    'node',
    'node',
    'remove-node',
    'remove-node',
    'whole',
    'replan',
  ],
  ...[
    'unknown-class',
    'unknown-class',
    'unknown-class',
    'unknown-class',
    'gone-class',
    'gone-class',
    'restart',
    'restart',
    'restart',
    'restart',
  ],
] as const;

/** In which classes and nodes come and go, and nobody tells of them for a while. */
export const storageSequences: fc.Arbitrary<readonly Step[]> = fc.array(
  fc
    .oneof(
      { weight: 1, arbitrary: fc.tuple(fc.constant('reserve' as const), which, fc.constantFrom(...storageRequests), which) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...storageKinds), which, which, which) },
    )
    .map(([kind, a, b, c]): Step => ({ kind, a, b, c })),
  { minLength: 10, maxLength: 30, size: 'max' },
);

/** What must make no difference. */
export interface Disguise {
  readonly nameOf?: (at: number) => string;
  readonly order?: readonly number[];
}

export const fresh: InventoryKnowledge = { protocol: 'deltas' };
export const stale: InventoryKnowledge = { ...fresh, problem: { code: 'InventoryStale', message: 'nothing was heard for a while' } };

const soldMore: CommitLevels = {
  cpu: parseCommitLevel('1.5', 'cpu-commit-level'),
  memory: parseCommitLevel('1.25', 'memory-commit-level'),
  storage: parseCommitLevel('2', 'storage-commit-level'),
};

/** Every other sequence sells more than there is. */
export const levelsOf = ([first]: readonly Step[]): CommitLevels => ((first?.c ?? 0) % 2 === 0 ? soldOnce : soldMore);
