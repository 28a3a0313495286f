import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { leaseStand, mayRun } from './lease-runs.ts';

const name = 'amy-7-1-1';
const namespace = 'lease-amy-7-1-1';

interface Known {
  readonly isRead: boolean;
  readonly isKnown: boolean;
  readonly record?: Partial<LeaseRecord> | undefined;
  /** The namespace on record of the reservation, by its uid. */
  readonly reserved?: string | undefined;
  /** The uid of the namespace that there is. */
  readonly present?: string | undefined;
  /** Why records are not followed. */
  readonly problem?: string | undefined;
}

function asked<T>(
  { isRead, isKnown, record, reserved, present, problem }: Known,
  question: (known: Parameters<typeof mayRun>[0], name: string) => T,
): T {
  const knowledge = {
    records: {
      isRead,
      problem: () => problem,
      of: (of: string) => (of === name && record !== undefined ? sampleRecord(record) : undefined),
    },
    namespaces: { isKnown, get: (of: string) => (of === namespace && present !== undefined ? { live: { uid: present } } : undefined) },
    book: { reservation: (of: string) => (of === name ? { leaseNamespace: reserved && { name: namespace, uid: reserved } } : undefined) },
  };
  return question(knowledge as unknown as Parameters<typeof mayRun>[0], name);
}

const seen = { isRead: true, isKnown: true } as const;

describe('whether something of a lease may run', () => {
  it.each([
    ['nothing is known of it', seen, false],
    ['it waits for its manifest', { ...seen, record: { state: 'Pending' } }, true],
    ['it runs', { ...seen, record: { state: 'Active' }, reserved: 'n-1', present: 'n-1' }, true],
    ['it is refused', { ...seen, record: { state: 'Error' } }, true],
    ['it closes, and its namespace is gone already', { ...seen, record: { state: 'Active', closingAt: 1 }, reserved: 'n-1' }, true],
    ['it is complete', { ...seen, record: { state: 'Complete', completeAt: 1 } }, false],
    ['it is complete, and a namespace is there again', { ...seen, record: { state: 'Complete' }, reserved: 'n-1', present: 'n-1' }, false],
    ['its record is gone, its namespace is not', { ...seen, reserved: 'n-1', present: 'n-1' }, true],
    ['its record is gone, and its namespace too', { ...seen, reserved: 'n-1' }, false],
    ['its record is gone, and another namespace has its name', { ...seen, reserved: 'n-1', present: 'n-2' }, false],
    ['no namespace was recorded, and one has its name', { ...seen, present: 'n-2' }, false],
    ['records are not read', { ...seen, isRead: false }, true],
    ['namespaces are not read', { ...seen, isKnown: false }, true],
    ['it is complete, and namespaces are not read', { ...seen, isKnown: false, record: { state: 'Complete' } }, true],
  ] as const)('when %s', (_what, known, expected) => {
    expect(asked(known, mayRun)).toBe(expected);
  });
});

describe('how a lease stands', () => {
  const nothing = { manifestHash: undefined, namespaceUid: undefined };
  const waiting = { state: 'Pending', ...nothing } as const;
  it.each([
    ['it waits for its manifest', { ...seen, record: waiting }, false, true],
    ['its first manifest is refused', { ...seen, record: { ...waiting, state: 'Error' } }, false, true],
    ['its record was lost and made anew, and its namespace is there', { ...seen, record: waiting, present: 'n-1' }, true, true],
    ['it waits for its manifest, and namespaces are not read', { ...seen, isKnown: false, record: waiting }, true, false],
    ['it waits for its manifest, and records are not followed', { ...seen, record: waiting, problem: 'reconnecting' }, true, false],
    ['it has a manifest', { ...seen, record: { ...nothing, state: 'Active', manifestHash: 'a' } }, true, true],
    ['it has a namespace', { ...seen, record: { ...waiting, namespaceUid: 'n-1' } }, true, true],
    ['it ends', { ...seen, record: { ...nothing, state: 'Active', manifestHash: 'a', closingAt: 1 } }, true, false],
    ['it is complete', { ...seen, record: { state: 'Complete' } }, false, false],
    ['its record is gone, its namespace is not', { ...seen, reserved: 'n-1', present: 'n-1' }, true, false],
    ['nothing is known of it', seen, false, false],
  ] as const)('when %s', (_what, known, mayBeMade, lasts) => {
    expect(asked(known, leaseStand)).toMatchObject({ mayBeMade, lasts });
  });
});
