import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { AgentCrowd } from './agent-crowd.ts';

const never = new AbortController().signal;

describe('the agents of one process', () => {
  it('start one after the other, each after a pause as long as the start before it took', async () => {
    const clock = new FakeClock();
    let busyMs = 0;
    const crowd = new AgentCrowd({
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + busyMs,
      schedule: (afterMs, callback) => clock.schedule(afterMs, callback),
    });
    const started: number[] = [];
    const agents = [40, 10, 0].map(async (startMs, agent) => {
      await crowd.turn(never);
      started.push(agent);
      busyMs += startMs;
    });
    expect(started).toEqual([]);
    await expect.poll(() => clock.pendingTimers).toBe(1);
    expect(started).toEqual([0]);
    await clock.advance(39);
    expect(started).toEqual([0]);
    await clock.advance(1);
    expect(started).toEqual([0, 1]);
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(10);
    await Promise.all(agents);
    expect(started).toEqual([0, 1, 2]);
  });

  it('do not keep one waiting that is told to stop', async () => {
    const crowd = new AgentCrowd(new FakeClock());
    const stopping = new AbortController();
    await crowd.turn(never);
    const turn = crowd.turn(stopping.signal);
    stopping.abort();
    await expect(turn).resolves.toBeUndefined();
  });

  it('have a few requests under way together, and all of them answered in their order', async () => {
    const asked: string[] = [];
    const open: PromiseWithResolvers<undefined>[] = [];
    const answer = (): Promise<undefined> => {
      const pending = Promise.withResolvers<undefined>();
      open.push(pending);
      return pending.promise;
    };
    const store = new AgentCrowd(new FakeClock()).sharing({
      find: (_type, { name }) => {
        asked.push(name);
        return answer();
      },
      apply: async (_type, object) => object,
    });
    const names = Array.from({ length: 100 }, (_, index) => `node-${index}`);
    const answers = names.map((name) => store.find(nodeHardwareType, { name }));
    const settled = Promise.allSettled(answers);
    expect(asked).toEqual(names.slice(0, 8));
    open[0]?.reject(new Error('the server is away'));
    for (let index = 1; index < names.length; index += 1) {
      await expect.poll(() => open.length).toBeGreaterThan(index);
      expect(open.length).toBeLessThanOrEqual(index + 8);
      open[index]?.resolve(undefined);
    }
    expect((await settled).map(({ status }) => status)).toEqual(names.map((_, index) => (index === 0 ? 'rejected' : 'fulfilled')));
    expect(asked).toEqual(names);
  });
});
