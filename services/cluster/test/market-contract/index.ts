export { describeMarket } from './market-contract.ts';
export type { TenantsHand, TriedMarket } from './tenants-hand.ts';
