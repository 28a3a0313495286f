export { startMarketPostgres, startTestMarket, type TestCaller, type TestMarket, type TestMarketOptions } from './start-test-market.ts';
