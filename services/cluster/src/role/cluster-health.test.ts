import { FakeClock } from '@quartermaster/kernel';
import type { ElectionStatus } from '@quartermaster/kube';
import { Health } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';
import { filledBook, order, planOn, reservation } from '../../test/filled-book.ts';
import { node } from '../../test/sample-facts.ts';
import { ReservationBook } from '../book/reservation-book.ts';
import { type HealthSources, registerHealth } from './cluster-health.ts';

const unknown = { code: 'ReservationsUnknown', message: 'not read' };
const read: HealthSources['reservations'] = { isRead: true, isAbsent: false, problem: () => undefined, stale: () => undefined };
const election: ElectionStatus = { isLeader: false, holder: 'another', term: 1, lastError: undefined };

async function stateOf(changed: Partial<HealthSources> = {}): Promise<string> {
  const health = new Health({ clock: new FakeClock() });
  registerHealth(health, { book: filledBook([node('n-1')]), reservations: read, election: () => election, ...changed });
  return (await health.report('ready')).state;
}

describe('the health of the cluster service', () => {
  it('is good while everything is known and somebody leads', async () => {
    expect(await stateOf()).toBe('ok');
  });

  it('is none before the cluster was read', async () => {
    expect(await stateOf({ book: new ReservationBook() })).toBe('failed');
    expect(await stateOf({ reservations: { isRead: false, isAbsent: false, problem: () => unknown, stale: () => undefined } })).toBe(
      'failed',
    );
  });

  it('is degraded, and not lost, when knowledge has grown old, nobody leads, or the kind is not installed', async () => {
    const stale = filledBook([node('n-1')]);
    stale.setKnowledge({ ...stale.knowledge, problem: { code: 'InventoryStale', message: 'silent' } });
    expect(await stateOf({ book: stale })).toBe('degraded');
    expect(await stateOf({ election: () => ({ ...election, holder: '' }) })).toBe('degraded');
    expect(await stateOf({ reservations: { isRead: false, isAbsent: true, problem: () => unknown, stale: () => undefined } })).toBe(
      'degraded',
    );
    expect(await stateOf({ reservations: { ...read, problem: () => unknown } })).toBe('degraded');
    expect(await stateOf({ reservations: { ...read, stale: () => ({ code: 'ReservationsStale', message: 'lost' }) } })).toBe('degraded');
  });

  it('is degraded by what is over-committed', async () => {
    const book = filledBook([node('n-1')]);
    book.setReservation(reservation(order('amy', 1n), { plan: planOn('n-1', 20_000) }));
    expect(await stateOf({ book })).toBe('degraded');
  });
});
