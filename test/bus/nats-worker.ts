/**
 * A consumer in a process of its own, which the test kills while it handles an event: it handles what its first argument allows,
 * tells each to its parent and then holds on to the next for ever.
 */
import { connectNatsBus } from '@quartermaster/bus';
import { orders } from './bus-fixture.ts';

const [servers = '', limit = '0'] = process.argv.slice(2);
const bus = await connectNatsBus({ servers, ackWaitMs: 2_000 });
let handled = 0;
await bus.subscribe(
  orders(),
  async ({ value }) => {
    if (handled === Number(limit)) {
      process.send?.({ holding: value.text });
      await new Promise(() => undefined);
    }
    handled += 1;
    process.send?.({ handled: value.text });
  },
  { group: 'a' },
);
