import { splitAddress, type Topic, topicAddress } from '@quartermaster/api/inventory-views';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { TopicNews } from './live-store.ts';
import { useLiveStore } from './use-live.ts';

export interface FollowedTopic<Head extends object, Row extends object> {
  /** Undefined before the first word, null when the server does not know either. */
  readonly news: TopicNews<Head, Row>;
  /** Whether it is about what was asked for last, and not about the parameters before. */
  readonly isCurrent: boolean;
}

/**
 * Follows a topic for as long as the component is there. When the parameters change, what was said about the ones before stays
 * until the server has answered: a table does not blink while somebody types into its filter.
 */
export function useTopic<Params, Head extends object, Row extends object>(
  topic: Topic<Params, Head, Row>,
  params: Params,
): FollowedTopic<Head, Row> {
  const store = useLiveStore();
  const address = topicAddress(topic, params);
  const subscribe = useCallback(
    // The address stands for the parameters: equal ones are new objects at every drawing.
    (listener: () => void) => store.follow(topic, topic.parse(splitAddress(address).params), listener),
    [store, topic, address],
  );
  const newest = useSyncExternalStore(subscribe, () => store.newsOf(topic, params));
  const last = useRef<TopicNews<Head, Row>>(undefined);
  useEffect(() => {
    if (newest !== undefined) last.current = newest;
  }, [newest]);
  return newest === undefined ? { news: last.current, isCurrent: false } : { news: newest, isCurrent: true };
}
