export { arbitraryMessage, type ScalarValues } from './arbitrary-message.ts';
export {
  startFulfillment,
  startFulfillmentPostgres,
  type TestCaller,
  type TestFulfillment,
  type TestFulfillmentOptions,
  type TestTls,
} from './start-fulfillment.ts';
