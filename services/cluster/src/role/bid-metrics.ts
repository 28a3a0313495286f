import type { Metrics } from '@quartermaster/service';
import type { BidDecision } from '../bids/bid-decision.ts';
import { decisionPhases } from '../bids/bid-decision.ts';
import type { DecisionStore } from '../bids/decision-store.ts';
import type { MarketViewStatus } from '../bids/market-view.ts';

export interface BidMetrics {
  readonly decided: (after: BidDecision, before: BidDecision | undefined) => void;
  readonly stop: () => void;
}

export function bidMetrics(
  metrics: Metrics,
  decisions: Pick<DecisionStore, 'all' | 'unwritten'>,
  market: () => MarketViewStatus | undefined,
): BidMetrics {
  const outcomes = metrics.counter({
    name: 'quartermaster_bid_decisions_total',
    help: 'Orders that came into a phase of their way, by what it is.',
    labels: ['phase'],
  });
  const waits = metrics.histogram({
    name: 'quartermaster_bid_seconds',
    help: 'Time from an order to our bid, by the clock of the market.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  });
  const ends = [
    metrics.collectGauge(
      { name: 'quartermaster_bid_records', help: 'Orders of which it is recorded what became of them.', labels: ['phase'] },
      () => {
        const all = decisions.all();
        return decisionPhases.map((phase) => ({ labels: { phase }, value: all.filter((each) => each.phase === phase).length }));
      },
    ),
    metrics.collectCounter(
      {
        name: 'quartermaster_bid_declines_unrecorded_total',
        help: 'Declined orders that no object tells of, since there were too many at once.',
      },
      () => [{ labels: {}, value: decisions.unwritten }],
    ),
    metrics.collectGauge(
      { name: 'quartermaster_bid_market_known', help: 'Whether the leader could read the market when it last tried.' },
      () => {
        const status = market();
        return status === undefined ? [] : [{ labels: {}, value: status.problem === undefined ? 1 : 0 }];
      },
    ),
  ];
  return {
    decided: (after, before) => {
      if (after.phase === before?.phase) return;
      outcomes.add({ phase: after.phase });
      if (after.phase === 'Bid' && after.bidAt !== undefined && after.orderedAt !== undefined)
        waits.observe({}, Math.max(after.bidAt - after.orderedAt, 0) / 1000);
    },
    stop: () => ends.forEach((end) => end()),
  };
}
