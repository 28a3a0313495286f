import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Bid } from '@quartermaster/api/market';
import { compareAmounts } from './price.ts';

/** The cheapest bid; the earlier one of two that ask the same. `passedOver` are providers whose bids are left to the tenant. */
export function chooseBid(bids: readonly Bid[], passedOver: ReadonlySet<string>): Bid | undefined {
  const [first] = bids.filter(({ spec }) => !passedOver.has(spec?.provider ?? '')).toSorted(byPriceAndAge);
  return first;
}

function byPriceAndAge(left: Bid, right: Bid): number {
  return compareAmounts(left.spec?.price, right.spec?.price) || createdAt(left) - createdAt(right) || (left.id < right.id ? -1 : 1);
}

const createdAt = ({ metadata }: Bid): number => (metadata?.creationTimestamp === undefined ? 0 : timestampMs(metadata.creationTimestamp));
