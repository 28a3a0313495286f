export { Backoff, type BackoffOptions, backoffMs, defaultBackoff } from './backoff.ts';
export { Breaker, type BreakerOptions, type BreakerState, type BreakerStatus, judgeByCode, type Verdict } from './breaker.ts';
export { type Clock, pause, sleep, systemClock } from './clock.ts';
export { coalesced } from './coalesced.ts';
export { FakeClock } from './fake-clock.ts';
export { type FieldViolation, fieldViolationsOf, invalidFields } from './field-violation.ts';
export { formatQuantity } from './format-quantity.ts';
export { createUuidV7, isUuid, type UuidSources, uuidv7 } from './ids.ts';
export { type Log, silentLog } from './log.ts';
export { bytes, millicores, parseQuantity } from './parse-quantity.ts';
export { asciiSets, CharacterSet, classEscape } from './pattern/character-set.ts';
export type { PatternNode } from './pattern/pattern-node.ts';
export { PatternProgram } from './pattern/pattern-program.ts';
export {
  addQuantity,
  compareQuantity,
  milliValue,
  negateQuantity,
  type Quantity,
  type QuantityFormat,
  quantityFromMillis,
  quantityFromWhole,
  scaleQuantity,
  subtractQuantity,
  wholeValue,
} from './quantity.ts';
export { type Random, seededRandom, systemRandom } from './random.ts';
export { codeOf, isTerminal, messageOf, type StatusCode, StatusError, statusCodes } from './status-error.ts';
export { definedSteps, defineSteps, listenToSteps, type StepListener, type Steps } from './step-points.ts';
