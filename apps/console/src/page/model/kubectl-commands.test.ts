import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubectlCommands, shellWord } from './kubectl-commands.ts';

describe('the commands for kubectl', () => {
  it('start with the kubeconfig, quoted only where needed', () => {
    expect(kubectlCommands('/home/a/kubeconfig')[0]?.command).toBe('export KUBECONFIG=/home/a/kubeconfig');
    expect(kubectlCommands("/home/it's me/k")[0]?.command).toBe(`export KUBECONFIG='/home/it'\\''s me/k'`);
  });

  it('reach the shell as they are, whatever the path holds', () => {
    const path = fc.string({ minLength: 1, unit: fc.constantFrom('a', '/', ' ', "'", '"', '$', '`', '\\', '*', ';', '~', 'é') });
    fc.assert(
      fc.property(path, (text) => {
        expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
      }),
      { numRuns: 30 },
    );
  });
});
