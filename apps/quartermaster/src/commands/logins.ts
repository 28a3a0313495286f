import { Option } from 'commander';
import type { LoginFlags } from '../fulfillment/login/login.ts';
import type { Declare } from './command.ts';
import { untilInterrupted } from './interruption.ts';
import { checkedFlags, withTlsOptions } from './verb-commands.ts';

export const login: Declare = (command, { output }) => {
  withTlsOptions(command)
    .option('--name <name>', 'what to save it as (default: the address)')
    .option('--token <token>', 'bearer token to show; - reads it from standard input, where no other user sees it')
    .option('--token-file <file>', 'file with the token, read anew for each request')
    .option('--issuer <url>', 'OpenID Connect issuer to log in at (default: the one that the service names)')
    .addOption(new Option('--client-id <id>', 'as which the issuer knows this program').default('quartermaster-cli'))
    .addOption(new Option('--scope <scopes>', 'to ask the issuer for').default('openid offline_access'))
    .option('--resource <uri>', 'to ask the issuer for, where its tokens are made for one')
    .option('--audience <name>', 'to ask the issuer for, where its tokens are made for one')
    .option('--public', "always use the tenants' API")
    .option('--private', "always use the provider's API")
    .action(async (address: string, flags: LoginFlags) => {
      const logins = await import('../fulfillment/login/login.ts');
      await untilInterrupted((signal) => logins.login(address, checkedFlags(flags, output), output, signal));
    });
};

export const logout: Declare = (command, { output }) => {
  command.option('--all', 'all of them', false).action(async (name: string | undefined, flags: { readonly all: boolean }) => {
    (await import('../fulfillment/login/login.ts')).logout(name, flags, output);
  });
};

export const contexts: Declare = (command, { output }) => {
  command.action(async (name: string | undefined) => (await import('../fulfillment/login/login.ts')).showContexts(name, output));
};
