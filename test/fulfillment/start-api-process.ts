import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { stepVariable } from '@quartermaster/runtime/testing';

export interface ApiProcessOptions {
  readonly databaseUrl: string;
  readonly keys: string;
  /** Has the key of local tokens. */
  readonly directory: string;
  readonly token: string;
  /** The step at which it dies: `transaction/committed@30`. None unless given. */
  readonly step?: string | undefined;
}

export interface ApiProcess {
  readonly channel: RpcChannel;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  /** Ends it as a power failure would, and resolves when it has ended. Calls are answered `unavailable` then. Idempotent. */
  kill(): Promise<void>;
  /** The same, with the connection closed. */
  close(): Promise<void>;
}

/** Resolves when it serves. */
export async function startApiProcess({ databaseUrl, keys, directory, token, step }: ApiProcessOptions): Promise<ApiProcess> {
  const file = fileURLToPath(new URL('./api-process.ts', import.meta.url));
  const child = fork(file, [databaseUrl, keys, directory], { execArgv: [], env: { ...process.env, [stepVariable]: step } });
  const ended = once(child, 'exit');
  const said: readonly unknown[] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  const [first] = said;
  if (!isReady(first)) throw new Error('the process of the API ended before it served');
  const channel = openRpcChannel({ address: first.grpcAddress, token: () => token, tries: 1, deadlineMs: 60_000 });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    channel,
    ended,
    kill,
    close: async () => {
      await kill();
      channel.close();
    },
  };
}

function isReady(message: unknown): message is { readonly grpcAddress: string } {
  return typeof message === 'object' && message !== null && 'grpcAddress' in message && typeof message.grpcAddress === 'string';
}
