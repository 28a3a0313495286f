/** The words for states: what the console and the commands call the same thing. Pure, and free of protobuf: the page imports it as well. */
export { amountText, amountWords, partText, unequalTexts, withWhat } from './amount-words.ts';
export { clusterState, hostPoolState, missingHosts, trueCondition } from './cluster-state.ts';
export { conditionOf, conditionWhy } from './condition-words.ts';
export {
  addDivisions,
  type Division,
  divideAmount,
  noDivision,
  noSickCards,
  type SickCards,
  sickCards,
} from './division.ts';
export { enumWord, sentenceCase } from './enum-word.ts';
export { type Fill, fillTone, fillWord, type SellState } from './fill.ts';
export { gpuFill, gpuState, type StatedGpu } from './gpu-state.ts';
export { hostState, isDisputed, isTaken, powerShort, powerWords, type StatedHost } from './host-state.ts';
export { leaseHealth, leasePhaseWord, leaseState } from './lease-state.ts';
export { bidDecisionState, marketState } from './market-state.ts';
export { nodeState } from './node-state.ts';
export { openingsFilter } from './openings-filter.ts';
export { orderText } from './order-text.ts';
export { type Money, moneyText, monthOf, monthText, priceWords, sumPrices } from './price-words.ts';
export { reasonWords } from './reason-words.ts';
export { type RefusalReason, refusalReasons } from './refusal-reasons.ts';
export { reservationState } from './reservation-state.ts';
export { placeWord, promiseWords, resourceWord } from './resource-words.ts';
export type { State, Tone } from './state.ts';
export { deletionState, type StatedCondition, type StatedObject } from './stated-object.ts';
