/**
 * The service as a process of its own, so that it can be killed: started by `startApiProcess` with what it is to work on, says where it is once it serves, and ends when
 * the process that started it does.
 */
import { startTestFulfillment } from '@quartermaster/fulfillment/testing';
import { installStepKiller } from '@quartermaster/runtime/testing';

installStepKiller();
const [databaseUrl = '', keys = '', directory = ''] = process.argv.slice(2);
const service = await startTestFulfillment({ databaseUrl, keys, directory });
process.on('disconnect', () => process.exit());
process.send?.({ grpcAddress: service.grpcAddress, restUrl: service.restUrl });
