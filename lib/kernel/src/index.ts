export { Backoff, type BackoffOptions, backoffMs, defaultBackoff } from './backoff.ts';
export { bearerOf } from './bearer-token.ts';
export { Breaker, type BreakerOptions, type BreakerState, type BreakerStatus, type CallVerdict, judgeByCode } from './breaker.ts';
export { type Clock, pause, sleep, systemClock } from './clock.ts';
export { coalesced } from './coalesced.ts';
export { type Codec, jsonCodec } from './codec.ts';
export { decimalDigits, formatDecimal, parseDecimal } from './decimal.ts';
export { FakeClock } from './fake-clock.ts';
export { type FieldViolation, fieldViolationsOf, invalidFields } from './field-violation.ts';
export type { FollowState, FollowStatus, FollowVerdict } from './follow/follow-status.ts';
export { Follower, type FollowerOptions } from './follow/follower.ts';
export { type Watch, type WatchEvents, watchOf } from './follow/watch.ts';
export type { ObjectMeta } from './generated/object-meta.ts';
export { httpStatus } from './http-status.ts';
export { createUuidV7, type UuidSources } from './ids.ts';
export { type KindNames, kindNames } from './kind-names.ts';
export { limit, type Patience } from './limit.ts';
export { type Log, silentLog } from './log.ts';
export { isLoopback } from './loopback.ts';
export { isJunkMac, isJunkSerial, isJunkText, isJunkUuid } from './machine-marks/junk-marks.ts';
export { editDistance, nearest } from './nearest.ts';
export { ownershipProblem } from './ownership.ts';
export type { CharacterSet } from './pattern/character-set.ts';
export { compilePattern } from './pattern/compile-pattern.ts';
export type { PatternNode } from './pattern/pattern-node.ts';
export type { PatternProgram } from './pattern/pattern-program.ts';
export { invisible, plainLine } from './plain-text.ts';
export { present } from './present.ts';
export { formatQuantity } from './quantity/format-quantity.ts';
export { bytes, millicores, parseQuantity } from './quantity/parse-quantity.ts';
export {
  addQuantity,
  compareQuantity,
  milliValue,
  nanosPerUnit,
  negateQuantity,
  type Quantity,
  quantityFromMillis,
  quantityFromWhole,
  scaleQuantity,
  subtractQuantity,
  wholeValue,
} from './quantity/quantity.ts';
export { type Random, seededRandom, systemRandom } from './random.ts';
export { apiVersionOf, type KubeObject, type ResourceType, resourceType } from './resource-type.ts';
export { causesOf, codeOf, isTerminal, messageOf, retryAfterMsOf, type StatusCode, StatusError, statusCodes } from './status-error.ts';
export { definedSteps, defineSteps, listenToSteps, type Steps } from './step-points.ts';
export { type EventTopic, eventTopic, type StateTopic, stateTopic, type Topic } from './topic.ts';
