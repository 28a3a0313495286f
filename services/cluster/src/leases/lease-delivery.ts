import { done, type Reconciler } from '@quartermaster/controller';
import { type Clock, type Log, StatusError } from '@quartermaster/kernel';
import type { LeaseSight, LeaseSights } from '../known-leases/lease-sight.ts';
import type { DeliveredGateway, DeliveryReport, Market } from '../market/market.ts';
import { boundedReport } from './bounded-report.ts';
import { tenantView } from './tenant-view.ts';

/** A market may have gone back to what it had stored before: it is told once more after this. */
const tellAgainMs = 600_000;

export interface LeaseDeliveryOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Where tenants are served; undefined where they are not, or not yet. */
  readonly gateway: () => DeliveredGateway | undefined;
}

/** Has tenants see how their leases go. What was told is told again when it is something else, and seldom where it is not; a market that is away holds up nothing but this. */
export function leaseDelivery(
  market: Pick<Market, 'report'>,
  sights: Pick<LeaseSights, 'of'>,
  publicHost: string,
  { log, clock, gateway }: LeaseDeliveryOptions,
): Reconciler {
  const told = new Map<string, { readonly text: string; readonly at: number }>(); // lease -> what the market was told, by the monotonic clock
  const refused = new Set<string>(); // leases of which the market refused the last report
  return {
    name: 'lease-delivery',
    reconcile: async (name, signal) => {
      const sight = sights.of(name);
      if (sight === undefined || sight.market.state === 'unknown') {
        if (sight === undefined) {
          told.delete(name);
          refused.delete(name);
        }
        return done;
      }
      const report = boundedReport({ ...deliveryReport(sight, publicHost), gateway: gateway() });
      const text = JSON.stringify(report);
      const last = told.get(name);
      const isOver = sight.record.state === 'Complete';
      if (last?.text === text && (isOver || clock.monotonic() - last.at < tellAgainMs)) return done;
      const outcome = await market.report(sight.lease, report, signal);
      // What the market will not hear of a lease is not asked again and again.
      if (outcome.kind === 'unknown')
        throw new StatusError('unavailable', `the market could not be told of lease ${name}: ${outcome.reason.message}`);
      told.set(name, { text, at: clock.monotonic() });
      if (outcome.kind === 'done') refused.delete(name);
      // A lease that was closed this moment may have been told of as it was: that is nobody's fault.
      else if (!refused.has(name) && outcome.reason.code !== 'FailedPrecondition') {
        refused.add(name);
        log.warn('the market refuses what it is told of a lease', { lease: name, error: outcome.reason.message });
      }
      return done;
    },
  };
}

function deliveryReport(sight: LeaseSight, publicHost: string): DeliveryReport {
  const { record, health, manifest } = sight;
  const { message, refusal, services } = tenantView(sight, publicHost);
  return {
    ...{ state: record.state, reason: record.reason, message, refusal },
    health: manifest === undefined ? 'none' : (health?.state ?? 'none'),
    manifestHash: record.manifestHash ?? '',
    refusedHash: record.refused?.hash ?? '',
    services: services.map(({ name, health: state, count, available, hostnames, ports, problems }) => {
      const reached = ports.map(({ host, externalPort }) => `${host || '*'}:${externalPort}`);
      return { ...{ name, health: state, count, available, problems }, uris: [...hostnames, ...new Set(reached)] };
    }),
    manifestAt: record.manifestAt,
    deployedAt: record.deployedAt,
    runningAt: record.runningAt,
  };
}
