/** What a replica of the service is made of in tests that start many of them: without the servers and clients of the other entry, whose loading takes longer than the rest. */
export { BidEngine } from '../../src/bids/bid-engine.ts';
export { DecisionStore } from '../../src/bids/decision-store.ts';
export { MarketView } from '../../src/bids/market-view.ts';
export { scalePricing } from '../../src/bids/price-scale.ts';
export type { Market } from '../../src/market/market.ts';
export { openTerms, sampleScale } from '../bid-process.ts';
export { Gi, gpus, node, one, unit } from '../sample-facts.ts';
export { SmallBook } from '../small-book.ts';
