import { expect, it } from 'vitest';
import { agentPace } from './agent-pace.ts';

it('looks as often as on a real node while the agents are few, and in all no more often than a process can', () => {
  const real = { pollIntervalMs: 5_000, holdersIntervalMs: 10_000, rescanIntervalMs: 120_000 };
  expect([agentPace(3), agentPace(500)]).toEqual([real, real]);
  expect(agentPace(5_000)).toEqual({ pollIntervalMs: 50_000, holdersIntervalMs: 100_000, rescanIntervalMs: 250_000 });
});
