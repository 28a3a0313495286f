import { AsyncLocalStorage } from 'node:async_hooks';
import type { Carried, MessageContext } from '@quartermaster/bus';
import { describe, expect, it } from 'vitest';
import { eventually, note, notes, orders, type StartBusServer, useBus } from './bus-fixture.ts';

/** What every bus does with what travels along with a message. */
export function describeContext(startServer: StartBusServer): void {
  const { start, connect } = useBus(startServer);

  describe('what is carried along', () => {
    it('reaches the handler of an event at every attempt, and that of a state', async () => {
      const publishing = new AsyncLocalStorage<Carried>();
      const handling = new AsyncLocalStorage<Carried>();
      const context: MessageContext = {
        outgoing: () => publishing.getStore() ?? {},
        run: (carried, work) => handling.run(carried, work),
      };
      const bus = await start({ context });
      const other = await connect({ context });
      const events: (Carried | undefined)[] = [];
      const states: (Carried | undefined)[] = [];
      await other.subscribe(
        orders(),
        async ({ attempt }) => {
          await Promise.resolve();
          events.push(handling.getStore());
          if (attempt === 1) throw new Error('once more');
        },
        { group: 'a' },
      );
      await other.subscribe(notes(), () => void states.push(handling.getStore()));
      const carried = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1,b=2' };
      await publishing.run(carried, async () => {
        await bus.publish(orders(), note('event'));
        await bus.publish(notes(), note('state'));
      });
      await eventually(() => expect([events, states]).toEqual([[carried, carried], [carried]]));
    });

    it('is nothing when nothing was, and does not hinder a client that knows nothing of it', async () => {
      const seen: unknown[] = [];
      const plain = await start();
      const bus = await connect({ context: { outgoing: () => ({ traceparent: 'x' }), run: (_carried, work) => work() } });
      const curious = await connect({
        context: {
          outgoing: () => ({}),
          run: (carried, work) => {
            seen.push(carried);
            return work();
          },
        },
      });
      const topic = orders('plain', 'curious');
      const texts: string[] = [];
      await plain.subscribe(topic, ({ value }) => void texts.push(value.text), { group: 'plain' });
      await curious.subscribe(topic, () => {}, { group: 'curious' });
      await bus.publish(topic, note('with'), { key: 'k' });
      await plain.publish(topic, note('without'), { key: 'k' });
      await eventually(() =>
        expect([texts, seen]).toEqual([
          ['with', 'without'],
          [{ traceparent: 'x' }, {}],
        ]),
      );
    });
  });
}
