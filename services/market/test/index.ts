export { toChoose } from '../src/keepers/settle-orders.ts';
export { newBid, newOrder } from '../src/rules/index.ts';
export { itself, type Trade, trade } from '../src/trade/trade.ts';
export * as akashClient from './akash-client.ts';
export { startMarketPostgres, startTestMarket, type TestCaller, type TestMarket, type TestMarketOptions } from './start-test-market.ts';
