export { arbitraryMessage, type ScalarValues } from './arbitrary-message.ts';
export { provisionable } from './provisionable.ts';
export {
  startFulfillmentPostgres,
  startTestFulfillment,
  type TestCaller,
  type TestFulfillment,
  type TestFulfillmentOptions,
  type TestTls,
} from './start-test-fulfillment.ts';
