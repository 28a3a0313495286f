import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { InventoryService } from '@quartermaster/api/inventory';
import { openRpcChannel } from '@quartermaster/rpc';
import type { RunningOperator } from './running-operator.ts';

export interface OperatorProcess extends Pick<RunningOperator, 'grpc'> {
  /** Ends it as a power failure would, and resolves when it has ended. Idempotent. */
  kill(): Promise<void>;
}

/** Resolves when the operator is ready. */
export async function startOperatorProcess(kubeconfig: string): Promise<OperatorProcess> {
  const child = fork(fileURLToPath(new URL('./operator-process.ts', import.meta.url)), [kubeconfig], { execArgv: [] });
  const ended = once(child, 'exit');
  const said: readonly unknown[] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  const [first] = said;
  if (!isReady(first)) throw new Error('the process of the operator ended before it was ready');
  const channel = openRpcChannel({ address: first.grpcAddress, tries: 1 });
  return {
    grpc: channel.client(InventoryService),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
      channel.close();
    },
  };
}

function isReady(message: unknown): message is { readonly grpcAddress: string } {
  return typeof message === 'object' && message !== null && 'grpcAddress' in message && typeof message.grpcAddress === 'string';
}
