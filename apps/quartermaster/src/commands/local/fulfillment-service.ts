import { type Command, Option } from 'commander';
import { keysReencrypt, keysStatus } from '../../fulfillment/fulfillment-verbs.ts';
import type { TokenFlags } from '../../fulfillment/service/token.ts';
import { roles } from '../../roles/roles.ts';
import type { Output } from '../../text/output.ts';
import { repeatedOption } from '../../text/repeated-option.ts';
import type { CommandContext, Declare } from '../command.ts';
import { askingCommand } from '../verb-commands.ts';
import { declare as declareRoles } from './role.ts';

/** `service …`: the services, and what those who run the fulfillment service need besides: `migrate`, `keys`, `token`. */
export const declare: Declare = (command, context) => {
  declareRoles(command, context);
  const fulfillment = command.commands.find((each) => each.name() === 'fulfillment');
  const role = roles.find(({ name }) => name === 'service-fulfillment');
  if (fulfillment === undefined || role === undefined) return;
  const { output } = context;
  fulfillment
    .command('migrate')
    .description('Bring the database to what this release needs, and end. Takes the settings of the service.')
    .usage('[--KEY VALUE ...]')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_flags: unknown, { args }: Command) => {
      const { migrateDatabase } = await import('../../fulfillment/service/migrate.ts');
      await migrateDatabase(role, roles, args, output);
    });
  addKeys(fulfillment.command('keys').description('The keys that encrypt secrets.'), context);
  addToken(fulfillment.command('token').description('Tokens that the service signs itself.'), output);
};

function addKeys(keys: Command, context: CommandContext): void {
  askingCommand('fulfillment', keysStatus)(keys.command('status').description('Show how many secrets each key encrypts.'), context);
  askingCommand('fulfillment', keysReencrypt)(keys.command('reencrypt').description('Encrypt all secrets with the active key.'), context);
  const change = (usage: string, name: 'add' | 'use' | 'drop', description: string): void => {
    keys
      .command(usage)
      .description(description)
      .action(async (file: string, id: unknown) => {
        const { changeKeyRing } = await import('../../fulfillment/service/key-ring-entries.ts');
        changeKeyRing(name, file, typeof id === 'string' ? id : '', context.output);
      });
  };
  change('add <file>', 'add', 'Append a new key to the key ring file: the first step of a rotation.');
  change('use <file> <key>', 'use', 'Move a key to the front of the key ring file, which makes it the active key: the second step.');
  change('drop <file> <key>', 'drop', 'Remove a key that encrypts nothing any more from the key ring file: the last step.');
}

function addToken(token: Command, output: Output): void {
  token
    .command('create <name>')
    .description('Create a token, for installations without an identity provider.')
    .requiredOption('--signing-key <file>', 'fulfillment-local-key-file of the service; created if missing')
    .addOption(
      new Option('--role <role>', 'role of the token').choices(['admin', 'controller', 'provider', 'sync', 'tenant']).makeOptionMandatory(),
    )
    .addOption(repeatedOption('--tenant <name>', 'tenant of the token'))
    .option('--source <name>', 'source that the token may write, or account that it bids for at the market')
    .addOption(repeatedOption('--for <service>', 'service that takes it, such as market; all that have the signing key unless given'))
    .option('--lifetime <duration>', 'lifetime', '12h')
    .option('--out <file>', 'file to write it to, readable by you alone, instead of standard output')
    .action(async (name: string, { signingKey, ...flags }: Omit<TokenFlags, 'keyFile' | 'name'> & { readonly signingKey: string }) => {
      const { createToken } = await import('../../fulfillment/service/token.ts');
      await createToken({ ...flags, name, keyFile: signingKey }, output);
    });
}
