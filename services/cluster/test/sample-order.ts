import type { MarketOrder } from '../src/market/market.ts';
import { one } from './sample-facts.ts';

export const sampleOrder = (changed: Partial<MarketOrder> = {}): MarketOrder => ({
  order: { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1 },
  request: one(),
  requirements: { attributes: new Map(), signedByAllOf: [], signedByAnyOf: [] },
  maxPrice: { denom: 'uakt', amount: '1000' },
  httpEndpoints: new Map(),
  createdAt: 0,
  ...changed,
});
