import { createMemoryBus } from '@quartermaster/bus';
import { declareRole, sharedBus } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import { startRole } from '@quartermaster/runtime/testing';
import { SharedParts } from '@quartermaster/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, note, notes, orders } from './bus-fixture.ts';
import { hasNatsServer, NatsServer } from './nats-server.ts';

/** A role that listens from its start to a state and to events, and publishes when told to. */
async function startListener(options: { readonly args?: readonly string[]; readonly shared?: SharedParts }) {
  const heard: string[] = [];
  const made: Promise<unknown>[] = [];
  let bus: NonNullable<RoleHost['bus']>['bus'] | undefined;
  const start = (host: RoleHost<Record<string, never>>) => {
    bus = host.bus?.bus;
    made.push(bus?.subscribe(notes(), ({ value }) => void heard.push(`state ${value.text}`)) ?? Promise.reject(new Error('no bus')));
    made.push(bus?.subscribe(orders(), ({ value }) => void heard.push(`event ${value.text}`), { group: 'a' }) ?? Promise.resolve());
    for (const each of made) each.catch(() => {});
    return {};
  };
  const role = declareRole({
    name: 'listener',
    prefix: 'l',
    summary: 'For tests.',
    settings: {},
    bus: true,
    load: () => Promise.resolve(start),
  });
  const running = await startRole(role, options);
  onTestFinished(() => running.stop());
  return { heard, made, bus: bus ?? expect.fail('no bus'), stop: running.stop };
}

describe('the bus of a role', () => {
  it('of the process carries states and events both ways', async () => {
    const shared = new SharedParts();
    const memory = createMemoryBus();
    onTestFinished(() => memory.close());
    shared.provide(sharedBus, { bus: memory, isShared: false });
    const { heard, bus } = await startListener({ shared });
    await bus.publish(notes(), note(1));
    await bus.publish(orders(), note(2), { key: 'k' });
    await eventually(() => expect(heard.toSorted()).toEqual(['event 2', 'state 1']));
  });

  describe.skipIf(!hasNatsServer())('on NATS', () => {
    it('makes the subscriptions of a role that was there first', async () => {
      const server = await NatsServer.start();
      onTestFinished(() => server.stop());
      await server.kill();
      const { heard, made, bus } = await startListener({ args: [`--nats-servers=${server.url}`] });
      await server.startAgain();
      await Promise.all(made);
      await bus.publish(notes(), note(1));
      await bus.publish(orders(), note(2), { key: 'k' });
      await eventually(() => expect(heard.toSorted()).toEqual(['event 2', 'state 1']));
    });

    it('gives up a subscription that waits when the role stops', async () => {
      const { made, stop } = await startListener({ args: ['--nats-servers=nats://127.0.0.1:1'] });
      await stop();
      for (const each of made) await expect(each).rejects.toMatchObject({ code: 'unavailable' });
    });
  });
});
