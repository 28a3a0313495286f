import type { Declare } from './command.ts';

export const declare: Declare = (command, { output }) => {
  command.option('--all', 'all of them', false).action(async (name: string | undefined, flags: { readonly all: boolean }) => {
    const { logout } = await import('../fulfillment/login/login.ts');
    logout(name, flags, output);
  });
};
