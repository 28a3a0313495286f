import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { kubeBinary } from './binaries.ts';

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface KubectlTarget {
  readonly kubeconfig: string;
  /** Where kubectl keeps what it discovered; its own default in the home folder unless given. */
  readonly cacheDirectory?: string;
}

/** Runs kubectl to its end. A failure of the command is a result, not an error. */
export async function runKubectl(target: KubectlTarget, args: readonly string[], input = ''): Promise<KubectlResult> {
  const cache = target.cacheDirectory === undefined ? {} : { KUBECACHEDIR: target.cacheDirectory };
  const child = spawn(kubeBinary('kubectl'), [`--kubeconfig=${target.kubeconfig}`, ...args], { env: { ...process.env, ...cache } });
  const exitCode = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // A command that ends without reading its input closes the pipe; its exit code says whether that was wrong.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode]);
  return { stdout, stderr, exitCode: code };
}
