import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import { leaseStates } from '../known-leases/lease-record.ts';
import { advance, type LeaseEvent, overdue } from './lease-transitions.ts';

const deadlines = { manifestTimeoutMs: 300_000, unhealthyTimeoutMs: 7_200_000 };
const refused: LeaseEvent = { kind: 'manifest-refused', hash: 'b', reason: 'HostnameTaken', message: 'www.example.com is taken' };

const events: readonly LeaseEvent[] = [
  { kind: 'won' },
  { kind: 'manifest-accepted', hash: 'a' },
  refused,
  { kind: 'blocked', reason: 'NamespaceTaken', message: 'taken' },
  { kind: 'under-way', message: 'the namespace is being deleted' },
  { kind: 'deployed' },
  { kind: 'placed', namespaceUid: 'uid' },
  { kind: 'starting' },
  { kind: 'running' },
  { kind: 'unhealthy', message: 'web lacks a replica' },
  { kind: 'not-seen', message: 'not seen' },
  { kind: 'closing', why: 'closed' },
  { kind: 'ends', why: 'closed' },
  { kind: 'gone' },
];

/** From state and event to state; what is not in it stays as it is. */
const ways: Readonly<Record<string, string>> = {
  'Pending won': 'Pending ManifestMissing',
  'Pending manifest-accepted': 'Active Deploying',
  'Error manifest-accepted': 'Active Deploying',
  'Active manifest-accepted': 'Active Deploying',
  'Pending manifest-refused': 'Error ManifestRefused',
  'Error manifest-refused': 'Error ManifestRefused',
  'Pending blocked': 'Error NamespaceTaken',
  'Active blocked': 'Error NamespaceTaken',
  'Error blocked': 'Error NamespaceTaken',
  'Active under-way': 'Active Deploying',
  'Error under-way': 'Active Deploying',
  'Active deployed': 'Active Deploying',
  'Error deployed': 'Active Deploying',
  'Active starting': 'Active Deploying',
  'Error starting': 'Active Deploying',
  'Active running': 'Active Running',
  'Error running': 'Active Running',
  'Active unhealthy': 'Active Unhealthy',
  'Error unhealthy': 'Active Unhealthy',
  'Active not-seen': 'Active NotSeen',
  'Pending closing': 'Pending Closing',
  'Active closing': 'Active Closing',
  'Error closing': 'Error Closing',
  'Pending ends': 'Pending Closing',
  'Active ends': 'Active Closing',
  'Error ends': 'Error Closing',
  'Pending gone': 'Complete Closed',
  'Active gone': 'Complete Closed',
  'Error gone': 'Complete Closed',
};

describe('the way of a lease', () => {
  for (const state of leaseStates) {
    for (const event of events) {
      const way = ways[`${state} ${event.kind}`];
      it(`from ${state}, when ${event.kind}, ${way === undefined ? 'stays' : `leads to ${way}`}`, () => {
        const ending = event.kind === 'gone' ? { closingAt: 1_000 } : {};
        const after = advance(sampleRecord({ state, reason: 'Before', ...ending }), event, 2_000);
        expect(`${after.state} ${after.reason}`).toBe(way ?? `${state} Before`);
        if (way !== undefined) expect(after.since).toBe(2_000);
      });
    }
  }

  it('ends nothing but by an end of the market that was recorded, and never comes back from it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...events.filter(({ kind }) => kind !== 'ends'))),
        fc.array(fc.constantFrom(...events)),
        (before, after) => {
          const open = before.reduce((record, event) => advance(record, event, 1), sampleRecord({ state: 'Pending' }));
          expect(open.state).not.toBe('Complete');
          const ending = advance(open, { kind: 'ends', why: '' }, 1);
          const ended = after.reduce((record, event) => advance(record, event, 3), advance(ending, { kind: 'gone' }, 2));
          expect(ended).toMatchObject({ state: 'Complete', completeAt: 2 });
        },
      ),
    );
  });

  it('keeps what was deployed when a newer manifest is refused, and says why', () => {
    const running = advance(sampleRecord({ state: 'Active', reason: 'Running', manifestHash: 'a' }), refused, 5);
    expect(running).toMatchObject({
      state: 'Active',
      reason: 'Running',
      manifestHash: 'a',
      refused: { hash: 'b', message: 'www.example.com is taken', at: 5 },
    });
    expect(advance(running, { kind: 'manifest-accepted', hash: 'b' }, 6)).toMatchObject({
      manifestHash: 'b',
      manifestAt: 6,
      refused: undefined,
    });
  });

  it('says what is in the way of what was accepted, also while a newer manifest is refused', () => {
    const blocked = sampleRecord({ state: 'Error', reason: 'RefusedByCluster', message: 'a webhook refuses it', manifestHash: 'a' });
    expect(advance(blocked, refused, 5)).toEqual({
      ...blocked,
      refused: { hash: 'b', reason: 'HostnameTaken', message: 'www.example.com is taken', at: 5 },
    });
  });

  it('says that it ends, whatever else is seen of it', () => {
    const ending = advance(sampleRecord({ state: 'Active', reason: 'Running' }), { kind: 'ends', why: 'closed' }, 2);
    expect(ending).toMatchObject({ state: 'Active', reason: 'Closing', closingAt: 2, closedReason: 'closed' });
    expect(advance(ending, { kind: 'running' }, 3)).toBe(ending);
  });
});

describe('a deadline', () => {
  it('is over for a lease that got no manifest in time, and says what was wrong with the last one', () => {
    const record = sampleRecord({ state: 'Error', wonAt: 0, refused: { hash: 'b', reason: 'x', message: 'no such hostname', at: 1 } });
    expect(overdue(record, deadlines, 299_000)).toEqual({ inMs: 1_000 });
    expect(overdue(record, deadlines, 300_000)).toEqual({ message: expect.stringMatching(/^no manifest came .*no such hostname/) });
  });

  it('is over for one that was unhealthy without a break, and begins anew when it was not seen', () => {
    const seen = (kind: 'unhealthy' | 'not-seen' | 'running', at: number) => (record: ReturnType<typeof sampleRecord>) =>
      advance(record, kind === 'running' ? { kind } : { kind, message: 'web lacks a replica' }, at);
    const sick = seen('unhealthy', 1_000)(sampleRecord({ state: 'Active', manifestHash: 'a' }));
    expect(overdue(sick, deadlines, 7_201_000)).toEqual({ message: expect.stringContaining('unhealthy for') });
    const again = seen('unhealthy', 7_100_000)(seen('not-seen', 7_000_000)(sick));
    expect(overdue(again, deadlines, 7_201_000)).toEqual({ inMs: 7_099_000 });
    expect(overdue(seen('running', 2)(sick), deadlines, 1e12)).toBeUndefined();
    expect(overdue(seen('not-seen', 2)(sick), deadlines, 1e12)).toBeUndefined();
  });

  it('is never over for a lease that ends already', () => {
    expect(overdue(sampleRecord({ state: 'Pending', wonAt: 0, closingAt: 5 }), deadlines, 1e12)).toBeUndefined();
    expect(overdue(sampleRecord({ state: 'Complete', wonAt: 0 }), deadlines, 1e12)).toBeUndefined();
  });
});
