import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface FastRoleOptions {
  readonly role: 'inventory' | 'cluster' | 'market';
  readonly kubeconfig: string;
  /** How many times as fast its time passes. */
  readonly times: number;
  readonly args: readonly string[];
}

export interface FastRole {
  /** Address of its gRPC API. */
  readonly grpc: string;
  /** Whether it has ended. */
  readonly hasEnded: () => boolean;
  /** What it says is not as it should be. One question at a time. */
  complaints(): Promise<readonly string[]>;
  /** With SIGKILL. Idempotent. */
  kill(): Promise<void>;
}

/** Time passes faster since then, in all of them: for one that follows another, too, time does not go back. */
const since = Date.now();

/** Resolves when it is ready. */
export async function startFastRole({ role, kubeconfig, times, args }: FastRoleOptions): Promise<FastRole> {
  const file = fileURLToPath(new URL('./fast-role.ts', import.meta.url));
  const child = fork(file, [role, String(times), String(since), kubeconfig, ...args], { execArgv: [] });
  let isOver = false;
  const ended = once(child, 'exit').then(() => {
    isOver = true;
  });
  const [said]: readonly unknown[] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  if (!isReady(said)) throw new Error(`the role ${role} ended before it was ready`);
  return {
    grpc: said.grpc,
    hasEnded: () => isOver,
    complaints: async () => {
      const answer = once(child, 'message');
      child.send('health');
      const [told]: readonly unknown[] = await Promise.race([answer, ended.then(() => [])]);
      return (told as { readonly complaints?: readonly string[] } | undefined)?.complaints ?? [];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function isReady(message: unknown): message is { readonly grpc: string } {
  return typeof message === 'object' && message !== null && 'grpc' in message && typeof message.grpc === 'string';
}
