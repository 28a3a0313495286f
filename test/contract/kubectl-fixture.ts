import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type KubectlResult, runKubectl } from '../kube/kubectl.ts';
import type { ContractServer } from './contract-server.ts';

export interface KubectlFixture {
  run(args: readonly string[], input?: string): Promise<KubectlResult>;
  /** What a command prints. One that fails, fails the test with what it said. */
  output(args: readonly string[], input?: string): Promise<string>;
  /** The cells of a line of a table. */
  words(line: string | undefined): string[];
  /** Writes a file that ends with the suite; answers its path. */
  write(name: string, contents: string): Promise<string>;
}

/** kubectl as administrator, with a cache of its own. To be called inside a describe. */
export function kubectlFixture(server: () => ContractServer): KubectlFixture {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubectl-'));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  const run = async (args: readonly string[], input = ''): Promise<KubectlResult> =>
    await runKubectl({ kubeconfig: server().kubeconfig, cacheDirectory: directory }, args, input);
  return {
    run,
    output: async (args, input = '') => {
      const { stdout, stderr, exitCode } = await run(args, input);
      if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return stdout;
    },
    words: (line) => (line ?? '').split(/\s{2,}/).filter((word) => word !== ''),
    write: async (name, contents) => {
      const file = join(directory, name);
      await writeFile(file, contents);
      return file;
    },
  };
}
