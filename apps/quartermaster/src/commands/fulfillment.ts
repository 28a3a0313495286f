import { type Command, Option } from 'commander';
import type { ApiFlags } from '../fulfillment/api-flags.ts';
import type { GetAuditFlags } from '../fulfillment/get-audit.ts';
import type { GetSourcesFlags } from '../fulfillment/get-sources.ts';
import { type KindName, kindNames, kindsNamed } from '../fulfillment/kind-names.ts';
import type { DeleteFlags } from '../fulfillment/run-delete.ts';
import type { EditFlags } from '../fulfillment/run-edit.ts';
import type { GetObjectsFlags } from '../fulfillment/run-get-objects.ts';
import type { WatchFlags } from '../fulfillment/run-watch.ts';
import type { Output } from '../text/output.ts';
import { apiFlags, countOf, dryRunOption, repeatedOption, withApiOptions } from './api-options.ts';
import { commandNamed } from './command-named.ts';
import { untilInterrupted } from './interruption.ts';

/** `get`, `describe`, `edit`, `delete` and `watch` of what the fulfillment service keeps. */
export function addFulfillmentCommands(program: Command, output: Output): void {
  const get = commandNamed(program, 'get', 'List things.');
  const describe = commandNamed(program, 'describe', 'Everything about one thing.');
  const edit = commandNamed(program, 'edit', 'Change an object in your editor.');
  const remove = commandNamed(program, 'delete', 'Delete objects.');
  for (const kind of kindNames) {
    addGetKind(get, kind, output);
    addDescribeKind(describe, kind, output);
    addEditKind(edit, kind, output);
    addDeleteKind(remove, kind, output);
  }
  addGetOthers(get, output);
  const watch = program.command('watch [kind...]').description('What changes, one event after the other, until Ctrl-C.');
  addWatch(watch, output);
}

function addGetKind(get: Command, kind: KindName, output: Output): void {
  withApiOptions(
    get
      .command(`${kind.plural} [name...]`)
      .aliases([...kind.aliases])
      .description(kind.summary),
  )
    .addOption(
      new Option('-o, --output <format>', 'table, or for programs').choices(['table', 'wide', 'json', 'yaml', 'name']).default('table'),
    )
    .option('--filter <expression>', 'which, in CEL: this.spec.rack == "r1"')
    .addOption(repeatedOption('-l, --selector <key=value>', 'with this label; also key!=value, key and !key'))
    .option('--order <fields>', 'such as "metadata.name desc"')
    .addOption(new Option('--limit <count>', 'so many at most (default: 100)').argParser(countOf))
    .option('--all', 'all of them', false)
    .option('--include-deleted', 'also those that are being deleted', false)
    .option('-w, --watch', 'go on showing them as they change', false)
    .action(async (names: string[], flags: GetObjectsFlags) => {
      const { getObjects } = await import('../fulfillment/run-get-objects.ts');
      await untilInterrupted((signal) => getObjects(kind.plural, names, apiFlags(flags, output), output, signal));
    });
}

function addDescribeKind(describe: Command, kind: KindName, output: Output): void {
  withApiOptions(describe.command(`${kind.singular} <name>`).aliases(otherNames(kind)).description(kind.summary)).action(
    async (name: string, flags: ApiFlags) => {
      const { describeObject } = await import('../fulfillment/run-describe-object.ts');
      await untilInterrupted(() => describeObject(kind.plural, name, apiFlags(flags, output), output));
    },
  );
}

function addEditKind(edit: Command, kind: KindName, output: Output): void {
  withApiOptions(edit.command(`${kind.singular} <name>`).aliases(otherNames(kind)).description(kind.summary))
    .option('--with-status', 'also what controllers report', false)
    .addOption(dryRunOption())
    .action(async (name: string, flags: EditFlags) => {
      const { editObject } = await import('../fulfillment/run-edit.ts');
      await editObject(kind.plural, name, apiFlags(flags, output), output);
    });
}

function addDeleteKind(remove: Command, kind: KindName, output: Output): void {
  withApiOptions(remove.command(`${kind.singular} <name...>`).aliases(otherNames(kind)).description(kind.summary))
    .option('-y, --yes', 'do not ask', false)
    .option('--wait', 'until they are gone, and not only marked', false)
    .addOption(dryRunOption())
    .action(async (names: string[], flags: DeleteFlags) => {
      const { deleteObjects } = await import('../fulfillment/run-delete.ts');
      await untilInterrupted((signal) => deleteObjects(kind.plural, names, apiFlags(flags, output), output, signal));
    });
}

function addGetOthers(get: Command, output: Output): void {
  for (const what of ['kubeconfig', 'password'] as const) {
    withApiOptions(get.command(`${what} <cluster>`).description(`The ${what} of a cluster, for a file or a pipe.`)).action(
      async (name: string, flags: ApiFlags) => {
        const { getClusterSecret } = await import('../fulfillment/get-cluster-secret.ts');
        await getClusterSecret(what, name, apiFlags(flags, output), output);
      },
    );
  }
  withApiOptions(get.command('audit [kind] [name]').description('Who changed what: of everything, of a kind, or of one object.'))
    .addOption(new Option('-o, --output <format>', 'table, or for programs').choices(['table', 'wide', 'json', 'yaml']).default('table'))
    .option('--filter <expression>', 'which, in CEL: this.actor == "ann"')
    .addOption(new Option('--limit <count>', 'so many at most (default: 50)').argParser(countOf))
    .option('--all', 'all of them', false)
    .action(async (kind: string | undefined, name: string | undefined, flags: GetAuditFlags) => {
      const { getAudit } = await import('../fulfillment/get-audit.ts');
      await untilInterrupted(() => getAudit(kind, name, apiFlags(flags, output), output));
    });
  withApiOptions(get.command('sources').description('Where hosts come from, and when each source was last heard of.'))
    .addOption(new Option('-o, --output <format>', 'table, or for programs').choices(['table', 'json', 'yaml']).default('table'))
    .action(async (flags: GetSourcesFlags) => {
      const { getSources } = await import('../fulfillment/get-sources.ts');
      await getSources(apiFlags(flags, output), output);
    });
  addWatch(get.command('events [kind...]').description('The same as `watch`.'), output);
}

function addWatch(command: Command, output: Output): void {
  withApiOptions(command)
    .addOption(new Option('-o, --output <format>', 'lines, or for programs').choices(['table', 'json', 'yaml']).default('table'))
    .option('--filter <expression>', 'which, in CEL: event.type == EVENT_TYPE_OBJECT_CREATED')
    .option('--from <token>', 'go on after this event: the token that -o json shows')
    .action(async (kinds: string[], flags: WatchFlags) => {
      const { watchEvents } = await import('../fulfillment/run-watch.ts');
      await untilInterrupted((signal) => watchEvents(kindsNamed(kinds), apiFlags(flags, output), output, signal));
    });
}

const otherNames = ({ plural, singular, aliases }: KindName): string[] => [plural, ...aliases.filter((alias) => alias !== singular)];
