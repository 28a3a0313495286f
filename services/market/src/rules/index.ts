export { bidRules, offerViolations, unitViolations } from './bid-rules.ts';
export { chooseBid } from './choose-bid.ts';
export {
  boundedDelivery,
  deliveryViolations,
  isComplete,
  isSameDelivery,
  isTurn,
  withDelivery,
} from './delivery-rules.ts';
export { deploymentRules, sdlViolations } from './deployment-rules.ts';
export { groupChanges, withOrders } from './group-changes.ts';
export { leaseClaims } from './lease-claims.ts';
export { type BidParts, bidIdOf, deploymentIdOf, type OrderNumbers, orderIdOf, parseBidId, required } from './order-id.ts';
export { ownerKeyRules } from './owner-key-rules.ts';
export { compareAmounts, isSamePrice, priceText } from './price.ts';
export { reasonOf } from './reason-rules.ts';
export { refusedSdl } from './sdl-faults.ts';
export { wantedToken } from './token-rules.ts';
export * from './transitions.ts';
export { confirmedAfter, maxConfirmed, updateChanges } from './update-changes.ts';
