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
  askingCommand('fulfillment', keysStatus)(keys.command('status').description('Which key encrypts how many secrets.'), context);
  askingCommand('fulfillment', keysReencrypt)(keys.command('reencrypt').description('Bring all secrets under the current key.'), context);
  const change = (usage: string, name: 'add' | 'use' | 'drop', description: string): void => {
    keys
      .command(usage)
      .description(description)
      .action(async (file: string, id: unknown) => {
        const { changeKeyRing } = await import('../../fulfillment/service/key-ring-entries.ts');
        changeKeyRing(name, file, typeof id === 'string' ? id : '', context.output);
      });
  };
  change('add <file>', 'add', 'Put a new key behind the others in the file of a ring: the first step of a rotation.');
  change('use <file> <key>', 'use', 'Put a key first in the file of a ring, so that it encrypts: the second step.');
  change('drop <file> <key>', 'drop', 'Take a key that encrypts nothing any more out of the file of a ring: the last step.');
}

function addToken(token: Command, output: Output): void {
  token
    .command('create <name>')
    .description('A token for somebody, for installations without an identity provider.')
    .requiredOption('--signing-key <file>', 'fulfillment-local-key-file of the service; made when it is not there')
    .addOption(new Option('--role <role>', 'what it may do').choices(['admin', 'provider', 'sync', 'tenant']).makeOptionMandatory())
    .addOption(repeatedOption('--tenant <name>', 'to which a tenant belongs'))
    .option('--source <name>', 'for which a sync speaks')
    .option('--lifetime <duration>', 'how long it is good', '12h')
    .option('--out <file>', 'write it there, readable by you alone, instead of to standard output')
    .action(async (name: string, { signingKey, ...flags }: Omit<TokenFlags, 'keyFile' | 'name'> & { readonly signingKey: string }) => {
      const { createToken } = await import('../../fulfillment/service/token.ts');
      await createToken({ ...flags, name, keyFile: signingKey }, output);
    });
}
