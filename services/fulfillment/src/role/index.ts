/** The role alone, without what it is made of. */
export { type FulfillmentSettings, fulfillmentRole, sharedFulfillment } from './fulfillment-role.ts';
