import { LeaseState, OrderState } from '@quartermaster/api/market';
import { type Clock, pause } from '@quartermaster/kernel';
import { type Change, type ChangeFeed, decodeChangeBody, momentAfter } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { isComplete, parseBidId } from '../rules/index.ts';

/**
 * Whether a change may concern a provider. Bids of others do not, and neither does that they were counted; nor what it has reported of its own leases, since it would look
 * for what it said itself. A lease whose manifest is another one now is signaled.
 */
export function concerns(
  { orders, leases }: Pick<Kinds, 'orders' | 'leases'>,
  provider: string,
  { kind, type, objectId, body }: Change,
): boolean {
  switch (kind) {
    case 'orders':
      if (type !== 'updated') return type === 'created';
      return orders.store.decode(decodeChangeBody(body).object).status?.state !== OrderState.OPEN;
    case 'bids':
      return parseBidId(objectId)?.provider === provider;
    case 'leases': {
      if (parseBidId(objectId)?.provider !== provider) return false;
      if (type !== 'updated') return true;
      const { state, delivery } = leases.store.decode(decodeChangeBody(body).object).status ?? {};
      // An active one is updated by reports alone, and that a closed one is complete is a report, too.
      return state !== LeaseState.ACTIVE && !isComplete(delivery);
    }
    default:
      return kind === 'owner_keys';
  }
}

export interface WakeOptions {
  readonly feed: Pick<ChangeFeed, 'read'>;
  readonly concerns: (change: Change) => boolean;
  readonly clock: Clock;
}

/** Answers come no closer than this, however much happens. */
const intervalMs = 50;

/** The moment of the newest change that concerns somebody: at once, and then whenever there was one. */
export async function* wakes(
  { feed, concerns: isConcerned, clock }: WakeOptions,
  signal: AbortSignal,
): AsyncGenerator<bigint, void, undefined> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let position: bigint | undefined;
  let isWoken = false;
  let isOver = false;
  let wake = (): void => {};
  const follow = async (): Promise<void> => {
    try {
      for await (const item of feed.read(undefined, either)) {
        const isBookmark = 'bookmark' in item;
        if (isBookmark ? position !== undefined : !isConcerned(item)) continue;
        position = momentAfter(isBookmark ? item.bookmark : item.token);
        isWoken = true;
        wake();
      }
    } finally {
      isOver = true;
      // Nobody waits for the next moment when there is none.
      over.abort();
      wake();
    }
  };
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const following = follow();
  following.catch(() => {});
  try {
    for (;;) {
      if (!isWoken && !isOver) await changed();
      if (!isWoken || position === undefined) break;
      isWoken = false;
      yield position;
      await pause(clock, intervalMs, either);
    }
    await following;
  } finally {
    over.abort();
  }
}
