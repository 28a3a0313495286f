import type { Declare } from './command.ts';

export const declare: Declare = (command, { output }) => {
  command.action(async (name: string | undefined) => {
    const { showContexts } = await import('../fulfillment/login/login.ts');
    showContexts(name, output);
  });
};
