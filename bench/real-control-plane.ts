import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A real Kubernetes control plane in processes of its own, which end with `process`. */
export interface RealControlPlane {
  readonly process: ChildProcess;
  readonly kubeconfig: string;
}

export async function startControlPlane({
  etcdArgs,
}: {
  readonly etcdArgs?: readonly string[] | undefined;
} = {}): Promise<RealControlPlane> {
  const child = fork(fileURLToPath(new URL('../test/up/control-plane-child.ts', import.meta.url)), []);
  child.send({ kind: 'start', etcdArgs });
  for (;;) {
    const news = await nextMessage<{ kind: string; kubeconfig?: string; message?: string }>(child);
    if (news.kind === 'failed') throw new Error(news.message);
    if (news.kubeconfig !== undefined) return { process: child, kubeconfig: news.kubeconfig };
  }
}

/** What a child says next; throws when it ends instead. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const ended = async (): Promise<never> => {
    const [code] = (await once(child, 'exit')) as [number | null];
    throw new Error(`the process of the cluster ended with code ${code}`);
  };
  const [news] = (await Promise.race([once(child, 'message'), ended()])) as [T];
  return news;
}

export async function stopProcesses(processes: readonly ChildProcess[]): Promise<void> {
  for (const child of processes) {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}
