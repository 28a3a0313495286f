import type { ChangeFeed, FeedLag } from '@quartermaster/store';
import { feedHealth } from './feed-health.ts';
import type { RoleHost } from './role-host.ts';

type RoleFeedHost = Pick<RoleHost, 'prefix' | 'health' | 'metrics' | 'keep'>;

/** Shows how far the watches of a role are behind: in its health, and as figures. Nothing while it is unknown: a gap in a graph is no zero. */
export function registerFeed({ prefix, health, metrics, keep }: RoleFeedHost, feed: Pick<ChangeFeed, 'lag'>): void {
  const gauge = (name: string, help: string, valueOf: (lag: FeedLag) => number): (() => void) =>
    metrics.collectGauge({ name: `quartermaster_${prefix}_feed_${name}`, help }, () => {
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
  health.register('change feed', 'ready', () => feedHealth(feed.lag()));
  keep('figures of the change feed', () => {
    for (const remove of removers) remove();
  });
}
