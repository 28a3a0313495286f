import type { TenantLeaseStatus } from '@quartermaster/api/tenant-lease';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { readRecord, recordObject, recordPatch } from '../known-leases/record-object.ts';
import { advance, type LeaseEvent, overdue } from './lease-transitions.ts';

const now = 9_000;
const refused = { hash: 'b', reason: 'HostnameTaken', message: 'taken', at: 4_000 };
const refusal = (changed: object = {}): LeaseEvent => ({
  kind: 'manifest-refused',
  hash: 'b',
  reason: 'HostnameTaken',
  message: 'taken',
  ...changed,
});

/** A lease that ran, was refused an update, and is unhealthy. */
const times = { wonAt: 2_000, manifestAt: 3_000, deployedAt: 5_000, runningAt: 6_000 };
const sick = {
  state: 'Active',
  reason: 'Unhealthy',
  manifestHash: 'a',
  ...times,
  unhealthySince: 7_000,
  refused,
  namespaceUid: 'ns',
} as const;
const nothing = { deployedAt: undefined, runningAt: undefined, unhealthySince: undefined };

/** What a record says beside its state, reason, message and since when. */
const factsOf = ({ state: _state, reason: _reason, message: _message, since: _since, ...facts }: LeaseRecord) => facts;

describe('what is on record of a lease', () => {
  it.each<[what: string, before: Partial<LeaseRecord>, event: LeaseEvent, changed: Partial<LeaseRecord>]>([
    ['when it was won', {}, { kind: 'won' }, { wonAt: now }],
    ['when it was first won', { wonAt: 2_000 }, { kind: 'won' }, {}],
    [
      'a manifest, from which everything begins',
      sick,
      { kind: 'manifest-accepted', hash: 'b' },
      { manifestHash: 'b', manifestAt: now, refused: undefined, ...nothing },
    ],
    ['that the manifest that runs is to run', sick, { kind: 'manifest-accepted', hash: 'a' }, { refused: undefined }],
    ['a refusal', { state: 'Active', manifestHash: 'a' }, refusal(), { refused: { ...refused, at: now } }],
    ['the first time of a refusal', sick, refusal(), {}],
    ['a refusal for another reason', sick, refusal({ message: 'blocked' }), { refused: { ...refused, message: 'blocked', at: now } }],
    ['a refusal of another manifest', sick, refusal({ hash: 'c' }), { refused: { ...refused, hash: 'c', at: now } }],
    ['its namespace', sick, { kind: 'placed', namespaceUid: 'other' }, { namespaceUid: 'other' }],
    ['when it was deployed', { ...sick, deployedAt: undefined }, { kind: 'deployed' }, { deployedAt: now }],
    ['when it was first deployed', sick, { kind: 'deployed' }, {}],
    ['when it ran', { ...sick, runningAt: undefined }, { kind: 'running' }, { runningAt: now, unhealthySince: undefined }],
    ['when it first ran', sick, { kind: 'running' }, { unhealthySince: undefined }],
    ['since when it is unhealthy', { ...sick, unhealthySince: undefined }, { kind: 'unhealthy', message: '' }, { unhealthySince: now }],
    ['since when it is unhealthy without a break', sick, { kind: 'unhealthy', message: '' }, {}],
    ['that it starts', sick, { kind: 'starting' }, { unhealthySince: undefined }],
    ['what is in its way', sick, { kind: 'blocked', reason: 'NamespaceTaken', message: '' }, { unhealthySince: undefined }],
    ['what its objects wait for', sick, { kind: 'under-way', message: '' }, { unhealthySince: undefined }],
    ['that it is not seen', sick, { kind: 'not-seen', message: '' }, { unhealthySince: undefined }],
    ['that it is said to be closed', sick, { kind: 'closing', why: 'by the tenant' }, {}],
    [
      'that it ends',
      sick,
      { kind: 'ends', why: 'by the tenant' },
      { closingAt: now, closedReason: 'by the tenant', unhealthySince: undefined },
    ],
    [
      'that all of it is gone',
      { ...sick, closingAt: 8_000, leftovers: [{ what: 'Namespace', message: '', since: 8_500 }] },
      { kind: 'gone' },
      { completeAt: now, leftovers: [], unhealthySince: undefined },
    ],
  ])('is %s, and the rest stays', (_what, before, event, changed) => {
    const record = sampleRecord(before);
    expect(factsOf(advance(record, event, now))).toEqual({ ...factsOf(record), ...changed });
  });

  it('is since when it is so, from the first time', () => {
    const running = sampleRecord({ ...sick, reason: 'Running', since: 6_000 });
    expect(advance(running, { kind: 'running' }, now).since).toBe(6_000);
    expect(advance(running, { kind: 'starting' }, now).since).toBe(now);
    const blocked = (reason: string): LeaseEvent => ({ kind: 'blocked', reason, message: 'why' });
    const taken = advance(running, blocked('NamespaceTaken'), 7_000);
    expect(advance(taken, blocked('NamespaceTaken'), now).since).toBe(7_000);
    expect(advance(taken, blocked('LeasedIPTaken'), now).since).toBe(now);
  });

  it.each<LeaseEvent>([
    { kind: 'running' },
    { kind: 'starting' },
    { kind: 'blocked', reason: 'RefusedByCluster', message: '' },
    { kind: 'under-way', message: '' },
    { kind: 'not-seen', message: '' },
  ])('is how long it is unhealthy without a break, of which $kind is one', (between) => {
    const unhealthy: LeaseEvent = { kind: 'unhealthy', message: 'web lacks a replica' };
    const before = advance(sampleRecord({ state: 'Active', manifestHash: 'a', deployedAt: 1 }), unhealthy, 1_000);
    const after = advance(advance(before, between, 1_500), unhealthy, 2_000);
    const deadlines = { manifestTimeoutMs: 1, unhealthyTimeoutMs: 1_000 };
    expect(overdue(after, deadlines, 2_500)).toEqual({ inMs: 500 });
    expect(overdue(advance(before, unhealthy, 2_000), deadlines, 2_500)).toEqual({ message: expect.stringContaining('unhealthy for') });
  });

  it.each<[what: string, event: (text: string) => LeaseEvent]>([
    ['why a manifest was refused', (message) => refusal({ message })],
    ['what is wrong with it', (message) => ({ kind: 'unhealthy', message })],
  ])('is %s, as it is stored: a text that is too long for it is not another one at each look', (_what, event) => {
    // The last character that there is room for is half of one.
    const text = `${'x'.repeat(2_046)}🦆${'y'.repeat(2_000)}`;
    const first = advance(sampleRecord({ state: 'Active', manifestHash: 'a' }), event(text), now);
    const { metadata } = recordObject(first.name, first.lease, first.namespace);
    const { status } = recordPatch(first, '1') as { readonly status: TenantLeaseStatus };
    const kept = Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null));
    const stored = readRecord({
      ...recordObject(first.name, first.lease, first.namespace),
      metadata: { ...metadata, uid: first.uid },
      status: kept,
    });
    expect(advance(stored, event(text), now + 60_000)).toEqual(stored);
    expect(stored.message.isWellFormed()).toBe(true);
  });
});
