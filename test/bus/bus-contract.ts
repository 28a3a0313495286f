import { describe } from 'vitest';
import type { StartBusServer } from './bus-fixture.ts';
import { describeContext } from './contract-context.ts';
import { describeEvents } from './contract-events.ts';
import { describeLifecycle } from './contract-lifecycle.ts';
import { describeStates } from './contract-states.ts';

/** What every bus must do. `start` gives an empty one for each test. */
export function describeBus(name: string, start: StartBusServer): void {
  describe(`the bus ${name}`, () => {
    describeStates(start);
    describeEvents(start);
    describeContext(start);
    describeLifecycle(start);
  });
}
