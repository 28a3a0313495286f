import type { Metrics, Sample } from '@quartermaster/service';
import { type Availability, availability } from '../book/availability.ts';
import type { Refused } from '../book/decision.ts';
import type { ReservableAmount } from '../book/reservable-amount.ts';
import type { ReservationBook } from '../book/reservation-book.ts';
import { groupKey } from '../placement/card-offer.ts';

export interface ClusterMetrics {
  /** Of Reserve, decided here. */
  readonly decided: (outcome: 'reserved' | Refused['why'], durationMs: number) => void;
  /** Ends what is collected. */
  readonly stop: () => void;
}

const amountNames = ['allocatable', 'allocated', 'pending', 'active', 'available', 'overcommitted', 'headroom'] as const;

/** Registers what a provider wants to see over time. Sums are made when somebody scrapes. */
export function clusterMetrics(metrics: Metrics, book: ReservationBook, drifts: () => number): ClusterMetrics {
  const decisions = metrics.counter({
    name: 'quartermaster_cluster_decisions_total',
    help: 'Answers to Reserve, by what they were.',
    labels: ['outcome'],
  });
  const durations = metrics.histogram({
    name: 'quartermaster_cluster_reserve_duration_seconds',
    help: 'Time that Reserve took, from the decision to the confirmation.',
    labels: ['outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const ends = [
    metrics.collectGauge({ name: 'quartermaster_cluster_reservations', help: 'Reservations by phase.', labels: ['phase'] }, () =>
      (['pending', 'active'] as const).map((phase) => ({ labels: { phase }, value: countOf(book, phase) })),
    ),
    metrics.collectGauge(
      {
        name: 'quartermaster_cluster_overcommitted_reservations',
        help: 'Reservations that share a place where more is promised than there is.',
      },
      () => [{ labels: {}, value: book.places.overCommitted.length }],
    ),
    metrics.collectGauge(
      {
        name: 'quartermaster_cluster_resource',
        help: 'What can be promised, by who has it: millicores, bytes, cards, ports, addresses.',
        labels: ['resource', 'amount'],
      },
      () => (book.knowledge.protocol === 'unknown' ? [] : resources(availability(book))),
    ),
    metrics.collectGauge(
      { name: 'quartermaster_cluster_inventory_fresh', help: 'Whether anything new may be promised by what is known of the inventory.' },
      () => [{ labels: {}, value: book.knowledge.problem === undefined ? 1 : 0 }],
    ),
    metrics.collectCounter(
      {
        name: 'quartermaster_cluster_inventory_drifts_total',
        help: 'Looks at the inventory that found something else than its stream had told.',
      },
      () => [{ labels: {}, value: drifts() }],
    ),
  ];
  return {
    decided: (outcome, durationMs) => {
      decisions.add({ outcome });
      durations.observe({ outcome }, durationMs / 1000);
    },
    stop: () => ends.forEach((end) => end()),
  };
}

const countOf = (book: ReservationBook, phase: 'pending' | 'active'): number =>
  book.reservations().filter((reservation) => reservation.phase === phase).length;

function* resources(all: Availability): Generator<Sample<'resource' | 'amount'>> {
  const { cpu, memory, ephemeralStorage, cards, storage, ports, ips } = all;
  yield* samples('cpu', cpu);
  yield* samples('memory', memory);
  yield* samples('ephemeral-storage', ephemeralStorage);
  for (const { group, amount } of cards) yield* samples(`gpu/${groupKey(group)}`, amount);
  for (const { storageClass, amount } of storage) yield* samples(`storage/${storageClass}`, amount);
  yield* samples('ports', ports);
  yield* samples('leased-ips', ips);
}

/** Nothing of what is unknown: that is not zero. */
function* samples(resource: string, of: ReservableAmount | undefined): Generator<Sample<'resource' | 'amount'>> {
  if (of === undefined) return;
  for (const amount of amountNames) yield { labels: { resource, amount }, value: of[amount] };
}
