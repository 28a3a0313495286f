import type { JsonObject } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { deliveryLines } from './delivery-text.ts';

const lease = (delivery: JsonObject): JsonObject => ({ id: '7-1-1-p1', status: { delivery } });
const web: JsonObject = { name: 'web', count: 2, available: 1, uris: ['hello.example'] };

describe('the lines about a lease', () => {
  it('say how it is and, on a line of its own, each problem, which its message repeats', () => {
    const problem = 'web-1 cannot pull nginx:1.92.';
    const failing = { state: 'Active', health: 'unhealthy', reason: 'Unhealthy', message: problem };
    expect(deliveryLines(lease({ ...failing, services: [{ ...web, problems: [problem, 'a.example is with another lease'] }] }))).toEqual([
      'lease 7-1-1-p1: Active, unhealthy; web 1/2 at hello.example',
      'lease 7-1-1-p1: web: web-1 cannot pull nginx:1.92.',
      'lease 7-1-1-p1: web: a.example is with another lease',
    ]);
  });

  it('have the message where no service has a problem, with nothing after its full stop but a space', () => {
    const starting = { state: 'Active', health: 'starting', reason: 'Starting' };
    const line = (message: string) => deliveryLines(lease({ ...starting, message, services: [web] }));
    expect(line('replicas are starting')).toEqual(['lease 7-1-1-p1: Active, starting: replicas are starting; web 1/2 at hello.example']);
    expect(line('Replicas are starting.')).toEqual(['lease 7-1-1-p1: Active, starting: Replicas are starting. web 1/2 at hello.example']);
    expect(deliveryLines(lease({ ...starting, health: 'healthy', message: 'all replicas are available', services: [web] }))).toEqual([
      'lease 7-1-1-p1: Active, healthy; web 1/2 at hello.example',
    ]);
  });

  it('are none before the provider says anything of why it waits', () => {
    expect(deliveryLines({ id: '7-1-1-p1' })).toEqual([]);
    expect(deliveryLines(lease({ state: 'Pending', health: 'none' }))).toEqual([]);
    expect(deliveryLines(lease({ state: 'Pending', health: 'none', refusal: 'the hostname is taken' }))).toEqual([
      'lease 7-1-1-p1: Pending; the newest manifest is refused: the hostname is taken',
    ]);
  });
});
