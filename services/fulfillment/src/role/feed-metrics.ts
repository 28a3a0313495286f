import type { Metrics } from '@quartermaster/service';
import type { ChangeFeed, FeedLag } from '@quartermaster/store';

/** Nothing while it is unknown: a gap in a graph is no zero. Returns what takes them away. */
export function feedMetrics(metrics: Metrics, feed: Pick<ChangeFeed, 'lag'>): () => void {
  const gauge = (name: string, help: string, valueOf: (lag: FeedLag) => number): (() => void) =>
    metrics.collectGauge({ name: `quartermaster_fulfillment_feed_${name}`, help }, () => {
      const lag = feed.lag();
      return lag === undefined ? [] : [{ labels: {}, value: valueOf(lag) }];
    });
  const removers = [
    gauge('lag_seconds', 'Age of the oldest change that watches have not been told of.', ({ behindMs }) => behindMs / 1000),
    gauge(
      'holder_seconds',
      'How long the transaction has been open that changes wait for; 0 while none waits.',
      ({ holder }) => (holder?.openMs ?? 0) / 1000,
    ),
    gauge('size_bytes', 'Size of the change feed on the disk of the database.', ({ bytes }) => bytes),
  ];
  return () => {
    for (const remove of removers) remove();
  };
}
