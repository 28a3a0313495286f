/**
 * One replica of the operator as a process of its own that can be held and killed at named steps: started with the path of a kubeconfig by `startSteppedOperator`, tells the
 * address of its gRPC API once it is ready, and ends when the process that started it does.
 */
import { inventoryRole } from '@quartermaster/inventory';
import { listenToSteps } from '@quartermaster/kernel';
import { installStepKiller, startRole, stepVariable } from '@quartermaster/runtime/testing';
import type { StepOrder } from './start-stepped-operator.ts';

const [kubeconfig = '', ...args] = process.argv.slice(2);
const operator = await startRole(inventoryRole, { kubeconfig, args });
let goOn: (() => void) | undefined;
let heldAt: string | undefined;
let endHold: (() => void) | undefined;
process.on('message', ({ order, step }: StepOrder) => {
  endHold?.();
  if (order === 'hold') {
    endHold = listenToSteps(async (at) => {
      if (at !== step) return;
      heldAt = at;
      process.send?.({ heldAt });
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    });
    return;
  }
  if (heldAt === step) process.kill(process.pid, 'SIGKILL');
  installStepKiller({ [stepVariable]: step });
  goOn?.();
});
process.on('disconnect', () => void operator.stop());
process.send?.({ grpcAddress: operator.served.grpc });
