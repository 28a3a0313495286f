import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';

/** What it is told. */
export interface StepOrder {
  readonly order: 'hold' | 'die';
  readonly step: string;
}

export interface SteppedOperator {
  /** To its gRPC API, as an administrator. */
  connect(): RpcChannel;
  /** The signal that ended it. */
  readonly ended: Promise<string | null>;
  /** Resolves when the work stands at this step, where it stays until `dieAt`. Everything else goes on. */
  holdAt(step: string): Promise<void>;
  /** From now on it dies when it gets to this step, or at once when it is held there. */
  dieAt(step: string): void;
  /** Has it end by itself, giving up the lead. */
  stop(): Promise<void>;
  /** Idempotent. */
  kill(): Promise<void>;
}

export interface SteppedOperatorOptions {
  readonly kubeconfig: string;
  readonly args?: readonly string[] | undefined;
}

/** Resolves when the operator is ready. */
export async function startSteppedOperator({ kubeconfig, args = [] }: SteppedOperatorOptions): Promise<SteppedOperator> {
  const file = fileURLToPath(new URL('./stepped-operator.ts', import.meta.url));
  const tokens = await inventoryTokens();
  const token = await tokens.issue('admin');
  const child = fork(file, [kubeconfig, ...tokens.args, ...args], { execArgv: [] });
  const ended = once(child, 'exit').then(([, signal]: readonly (string | null)[]) => signal ?? null);
  const answer = async (): Promise<unknown> => {
    const [said]: readonly unknown[] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
    return said;
  };
  const tell = (order: StepOrder): void => void child.send(order);
  const ready = await answer();
  await tokens.end();
  if (!isReady(ready)) throw new Error('the operator ended before it was ready');
  return {
    connect: () => openRpcChannel({ address: ready.grpcAddress, token: () => token, tries: 1 }),
    ended,
    holdAt: async (step) => {
      tell({ order: 'hold', step });
      if ((await answer()) === undefined) throw new Error(`the operator ended before it got to ${step}`);
    },
    dieAt: (step) => tell({ order: 'die', step }),
    stop: async () => {
      child.disconnect();
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function isReady(message: unknown): message is { readonly grpcAddress: string } {
  return typeof message === 'object' && message !== null && 'grpcAddress' in message && typeof message.grpcAddress === 'string';
}
