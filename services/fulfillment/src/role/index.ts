/** The role alone, without what it is made of. */
export { type FulfillmentRoleOptions, fulfillmentRole } from './fulfillment-role.ts';
export { type FulfillmentSettings, fulfillmentSettings } from './fulfillment-settings.ts';
