import { type Shell, shellScripts, shells } from '../completion/shell-scripts.ts';
import type { Declare } from './command.ts';

/** `completion`: the script that a person loads into a shell. */
export const script: Declare = (command, { output }) => {
  command.registeredArguments[0]?.choices(shells);
  command.action((shell: Shell) => void output.out.write(shellScripts[shell]));
};

/** `__complete`: what the scripts ask, at every press of Tab. It is silent about whatever goes wrong: somebody is typing. */
export const answer: Declare = (command, { output }) => {
  command.requiredOption('--line <text>', 'what was typed, up to the cursor').action(async ({ line }: { readonly line: string }) => {
    const program = command.parent;
    if (program === null) return;
    const [{ complete }, { completionText }, { shellWords }, { resources }] = await Promise.all([
      import('../completion/complete.ts'),
      import('../completion/completion-text.ts'),
      import('../completion/shell-words.ts'),
      import('./resources.ts'),
    ]);
    try {
      output.out.write(completionText(await complete(program, shellWords(line).slice(1), resources)));
    } catch {
      // A server that is away, a login that ended: then there are no names.
      output.out.write(completionText({ candidates: [], paths: 'none' }));
    }
  });
};
