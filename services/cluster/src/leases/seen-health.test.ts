import { expect, it } from 'vitest';
import type { ServiceHealth } from '../health/lease-health.ts';
import { healthEvent } from './seen-health.ts';

const serviceOf = (service: string, ...messages: readonly string[]): ServiceHealth => ({
  ...{ service, count: 1, available: 0, ready: 0, updated: 1, state: 'unhealthy' },
  problems: messages.map((message) => ({ code: 'NotReady', message, subject: service })),
});

it('what is wrong with a lease names each service, and sentences stay sentences', () => {
  const services = [serviceOf('web', 'It does not fit.', 'It has ended.'), serviceOf('api'), serviceOf('db', 'Its volume is full.')];
  expect(healthEvent({ state: 'unhealthy', services })).toEqual({
    kind: 'unhealthy',
    message: 'web: It does not fit. web: It has ended. db: Its volume is full.',
  });
});
