import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stepVariable } from '@quartermaster/runtime/testing';

export interface SteppedOperator {
  /** Of its gRPC API. Undefined when it died before it was ready. */
  readonly address: string | undefined;
  /** The signal that ended it. */
  readonly ended: Promise<string | null>;
  /** From now on it dies when it gets to this step. Only where none was given at the start. */
  dieAt(step: string): void;
  /** Has it end by itself, giving up the lead. */
  stop(): Promise<void>;
  /** Idempotent. */
  kill(): Promise<void>;
}

export interface SteppedOperatorOptions {
  readonly kubeconfig: string;
  readonly args?: readonly string[] | undefined;
  /** Where it dies. Nowhere unless given. */
  readonly step?: string | undefined;
}

/** Resolves when the operator is ready, or has died. */
export async function startSteppedOperator({ kubeconfig, args = [], step }: SteppedOperatorOptions): Promise<SteppedOperator> {
  const file = fileURLToPath(new URL('./stepped-operator.ts', import.meta.url));
  const child = fork(file, [kubeconfig, ...args], { execArgv: [], env: { ...process.env, [stepVariable]: step } });
  const ended = once(child, 'exit').then(([, signal]: readonly (string | null)[]) => signal ?? null);
  const said: readonly unknown[] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  const [first] = said;
  return {
    address: isReady(first) ? first.grpcAddress : undefined,
    ended,
    dieAt: (at) => void child.send(at),
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
