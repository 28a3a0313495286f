import { randomBytes } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';
import { inject } from 'vitest';
import { type KubectlResult, runKubectl } from './kubectl.ts';

/** The cluster that test files share. Whoever uses it stays inside namespaces of its own. */
export interface SharedControlPlane {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Runs kubectl as administrator. A failure of the command is a result, not an error. */
  kubectl(args: readonly string[], input?: string): Promise<KubectlResult>;
}

export function sharedControlPlane(): SharedControlPlane {
  const target = inject('sharedCluster');
  return { kubeconfig: target.kubeconfig, kubectl: (args, input) => runKubectl(target, args, input) };
}

/** A namespace that pods may be created in. Ends with the block that holds it by `await using`, or by `remove`. */
export interface TemporaryNamespace extends AsyncDisposable {
  readonly name: string;
  /** Asks for its deletion; what is in it goes some time later. */
  remove(): Promise<void>;
}

/** Makes a namespace with a name that no other has, once its `default` service account exists. */
export async function temporaryNamespace(
  prefix = 'test',
  cluster: Pick<SharedControlPlane, 'kubectl'> = sharedControlPlane(),
): Promise<TemporaryNamespace> {
  const name = `${prefix}-${randomBytes(5).toString('hex')}`;
  const run = async (...args: string[]): Promise<void> => {
    const { exitCode, stderr } = await cluster.kubectl(args);
    if (exitCode !== 0) throw new StatusError('unavailable', `kubectl ${args.join(' ')} failed: ${stderr.trim()}`);
  };
  const remove = (): Promise<void> => run('delete', 'namespace', name, '--wait=false', '--ignore-not-found');
  await run('create', 'namespace', name);
  await run('wait', '--for=create', 'serviceaccount/default', `--namespace=${name}`, '--timeout=30s');
  return { name, remove, [Symbol.asyncDispose]: remove };
}
