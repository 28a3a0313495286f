export { Backoff, type BackoffOptions, backoffMs, defaultBackoff } from './backoff.ts';
export { type Clock, sleep, systemClock } from './clock.ts';
export { FakeClock } from './fake-clock.ts';
export { type Random, seededRandom, systemRandom } from './random.ts';
export { codeOf, isTerminal, messageOf, type StatusCode, StatusError, statusCodes } from './status-error.ts';
