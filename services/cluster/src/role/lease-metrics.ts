import type { Metrics } from '@quartermaster/service';
import { leaseStates } from '../known-leases/lease-record.ts';
import type { LeaseSights } from '../known-leases/lease-sight.ts';

const healths = ['none', 'starting', 'healthy', 'unhealthy', 'unknown'] as const;

/** Registers how leases go, as every replica sees it. Counted when somebody scrapes. Returns what ends it. */
export function leaseMetrics(metrics: Metrics, sights: Pick<LeaseSights, 'all' | 'strangers'>): () => void {
  const count = <L extends string>(label: L, names: readonly string[], of: (sight: ReturnType<LeaseSights['all']>[number]) => string) => {
    const found = Map.groupBy(sights.all(), of);
    return names.map((name) => ({ labels: { [label]: name } as Record<L, string>, value: found.get(name)?.length ?? 0 }));
  };
  const ends = [
    metrics.collectGauge({ name: 'quartermaster_leases', help: 'Leases by recorded state.', labels: ['state'] }, () =>
      count('state', leaseStates, ({ record }) => record.state),
    ),
    metrics.collectGauge({ name: 'quartermaster_lease_health', help: 'Leases that have not ended, by health.', labels: ['health'] }, () =>
      count('health', healths, ({ record, health }) => (record.state === 'Complete' ? '' : (health?.state ?? 'none'))),
    ),
    metrics.collectGauge({ name: 'quartermaster_lease_leftovers', help: 'Objects of closed leases that could not be removed yet.' }, () => [
      { labels: {}, value: sights.all().reduce((sum, { record }) => sum + record.leftovers.length, 0) },
    ]),
    metrics.collectGauge(
      { name: 'quartermaster_lease_strangers', help: 'Ignored namespaces: they look like leases but belong to none.' },
      () => [{ labels: {}, value: sights.strangers().length }],
    ),
  ];
  return () => ends.forEach((end) => end());
}
