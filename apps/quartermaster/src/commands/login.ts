import { type Command, Option } from 'commander';
import type { ApiFlags } from '../fulfillment/api-flags.ts';
import type { LoginFlags } from '../fulfillment/run-login.ts';
import type { Output } from '../text/output.ts';
import { apiFlags, withApiOptions, withTlsOptions } from './api-options.ts';
import { untilInterrupted } from './interruption.ts';

/** `login`, `logout`, `contexts` and `whoami`: who talks to which fulfillment service. */
export function addLoginCommands(program: Command, output: Output): void {
  withTlsOptions(
    program
      .command('login <address>')
      .description('Log in to a fulfillment service: HOST:PORT or https://HOST:PORT; http:// is plain text.'),
  )
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
      const { login } = await import('../fulfillment/run-login.ts');
      await untilInterrupted((signal) => login(address, apiFlags(flags, output), output, signal));
    });
  program
    .command('logout [name]')
    .description('Forget a login: the current one unless you name another.')
    .option('--all', 'all of them', false)
    .action(async (name: string | undefined, flags: { readonly all: boolean }) => {
      const { logout } = await import('../fulfillment/run-login.ts');
      logout(name, flags, output);
    });
  program
    .command('contexts [name]')
    .description('The saved logins; with a name, make that one the current one.')
    .action(async (name: string | undefined) => {
      const { showContexts } = await import('../fulfillment/run-login.ts');
      showContexts(name, output);
    });
  withApiOptions(program.command('whoami').description('Who the fulfillment service takes you for.')).action(async (flags: ApiFlags) => {
    const { whoami } = await import('../fulfillment/run-login.ts');
    await whoami(apiFlags(flags, output), output);
  });
}
