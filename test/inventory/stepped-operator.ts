/**
 * One replica of the operator as a process of its own that dies at a named step: started with the path of a kubeconfig by `startSteppedOperator`, tells the address of its
 * gRPC API once it is ready, may be told a step later, and ends when the process that started it does.
 */
import { inventoryRole } from '@quartermaster/inventory';
import { installStepKiller, startRole, stepVariable } from '@quartermaster/runtime/testing';

installStepKiller();
const [kubeconfig = '', ...args] = process.argv.slice(2);
const operator = await startRole(inventoryRole, { kubeconfig, args });
process.on('message', (step: string) => installStepKiller({ [stepVariable]: step }));
process.on('disconnect', () => void operator.stop());
process.send?.({ grpcAddress: operator.served.grpc });
