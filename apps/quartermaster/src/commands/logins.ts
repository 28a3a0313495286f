import { Option } from 'commander';
import { marketOption } from '../fulfillment/fulfillment-verbs.ts';
import type { LoginFlags } from '../fulfillment/login/login.ts';
import type { Declare } from './command.ts';
import { untilInterrupted } from './interruption.ts';
import { checkedFlags, withTlsOptions } from './verb-commands.ts';

export const login: Declare = (command, { output }) => {
  withTlsOptions(command)
    .addOption(marketOption())
    .option('--name <name>', 'name under which the login is saved (default: the address)')
    .option('--token <token>', 'bearer token; - reads it from standard input, where other users cannot see it')
    .option('--token-file <file>', 'file with the bearer token, read again for each request')
    .option('--issuer <url>', 'OpenID Connect issuer to log in at (default: the one that the service names)')
    .addOption(new Option('--client-id <id>', 'ID of this program at the issuer').default('quartermaster-cli'))
    .addOption(new Option('--scope <scopes>', 'scopes to request from the issuer').default('openid offline_access'))
    .option('--resource <uri>', 'resource to request a token for, if the issuer needs one')
    .option('--audience <name>', 'audience to request a token for, if the issuer needs one')
    .option('--public', 'always use the API for tenants')
    .option('--private', 'always use the API for providers')
    .action(async (address: string, flags: LoginFlags) => {
      const logins = await import('../fulfillment/login/login.ts');
      await untilInterrupted((signal) => logins.login(address, checkedFlags(flags, output), output, signal));
    });
};

export const logout: Declare = (command, { output }) => {
  command.option('--all', 'remove all saved logins', false).action(async (name: string | undefined, flags: { readonly all: boolean }) => {
    (await import('../fulfillment/login/login.ts')).logout(name, flags, output);
  });
};

export const contexts: Declare = (command, { output }) => {
  command.action(async (name: string | undefined) => (await import('../fulfillment/login/login.ts')).showContexts(name, output));
};
