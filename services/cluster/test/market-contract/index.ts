export { describeMarket, type TenantsHand, type TriedMarket } from './market-contract.ts';
