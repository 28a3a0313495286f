export { arbitraryMessage, type ScalarValues } from './arbitrary-message.ts';
export {
  startFulfillment,
  startFulfillmentPostgres,
  type TestCaller,
  type TestFulfillment,
  type TestFulfillmentOptions,
} from './start-fulfillment.ts';
