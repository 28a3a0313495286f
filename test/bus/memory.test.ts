import { MemoryBroker } from '@quartermaster/bus';
import { describeBus } from './bus-contract.ts';

describeBus('in memory', async (options) => {
  const broker = new MemoryBroker(options);
  return { connect: async (clientOptions) => broker.connect(clientOptions), stop: async () => undefined };
});
