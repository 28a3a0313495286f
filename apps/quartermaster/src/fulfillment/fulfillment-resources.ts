import { Option } from 'commander';
import type { Resource, Verb } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { repeatedOption } from '../text/repeated-option.ts';
import { type ListFlags, outputOption, watchOption } from '../text/show-list.ts';
import { countOption, dryRunOption, watch, withStatusOption, writtenOption } from './fulfillment-verbs.ts';
import type { CreateFlags, Kind } from './kinds/kind.ts';
import type { GetAuditFlags } from './read/audit.ts';
import type { GetObjectsFlags } from './read/get-objects.ts';
import type { DeleteFlags } from './write/delete.ts';
import type { EditFlags } from './write/edit.ts';

const filterOption = (example: string): Option => new Option('--filter <expression>', `which, in CEL: ${example}`);
const allOption = new Option('--all', 'all of them').default(false);

/** A kind as commands know it. */
export function objectResource(kind: Kind): Resource {
  const { plural, singular, aliases, summary, creation } = kind;
  const verbs = { get: getKind(kind), describe: describeKind(kind), edit: editKind(kind), delete: deleteKind(kind) };
  return {
    server: 'fulfillment',
    plural,
    singular,
    aliases,
    summary,
    verbs: creation === undefined ? verbs : { ...verbs, create: createKind(kind, creation) },
  };
}

const getKind = ({ plural }: Kind): Verb<GetObjectsFlags> => ({
  args: '[name...]',
  options: [
    outputOption('wide', 'json', 'yaml', 'name'),
    filterOption('this.spec.rack == "r1"'),
    repeatedOption('-l, --selector <key=value>', 'with this label; also key!=value, key and !key'),
    new Option('--order <fields>', 'such as "metadata.name desc"'),
    countOption('--limit <count>', 'so many at most (default: 100)'),
    allOption,
    new Option('--include-deleted', 'also those that are being deleted').default(false),
    watchOption(),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./read/get-objects.ts')).getObjects(plural),
});

const describeKind = ({ plural }: Kind): Verb<ServerFlags> => ({
  args: '<name>',
  options: [],
  load: async () => (await import('./read/describe-object.ts')).describeObject(plural),
});

const editKind = ({ plural }: Kind): Verb<EditFlags> => ({
  args: '<name>',
  options: [withStatusOption('also what controllers report'), dryRunOption],
  load: async () => (await import('./write/edit.ts')).editObject(plural),
});

const deleteKind = ({ plural }: Kind): Verb<DeleteFlags> => ({
  args: '<name...>',
  options: [
    new Option('-y, --yes', 'do not ask').default(false),
    new Option('--wait', 'until they are gone, and not only marked').default(false),
    dryRunOption,
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./write/delete.ts')).deleteObjects(plural),
});

const createKind = (kind: Kind, { summary, options }: NonNullable<Kind['creation']>): Verb<CreateFlags> => ({
  args: '<name>',
  summary,
  options: [
    new Option('--id <id>', 'its id (default: the service gives it one)'),
    repeatedOption('--label <key=value>', 'a label'),
    repeatedOption('--tenant <name>', 'whose it is (default: yours)'),
    dryRunOption,
    writtenOption,
    ...options,
  ],
  load: async () => (await import('./write/create.ts')).createFromFlags(kind),
});

/** Something that can only be got, under one name. */
const got = (name: string, summary: string, get: Verb): Resource => ({
  server: 'fulfillment',
  plural: name,
  singular: name,
  aliases: [],
  summary,
  verbs: { get },
});

const getSecret = (what: 'kubeconfig' | 'password'): Verb<ServerFlags> => ({
  args: '<cluster>',
  options: [],
  load: async () => (await import('./read/cluster-secret.ts')).getClusterSecret(what),
});

export const clusterSecrets: readonly Resource[] = (['kubeconfig', 'password'] as const).map((what) =>
  got(what, `The ${what} of a cluster, for a file or a pipe.`, getSecret(what)),
);

const getAudit: Verb<GetAuditFlags> = {
  args: '[kind] [name]',
  options: [
    outputOption('wide', 'json', 'yaml'),
    filterOption('this.actor == "ann"'),
    countOption('--limit <count>', 'so many at most (default: 50)'),
    allOption,
  ],
  load: async () => (await import('./read/audit.ts')).getAudit,
};

export const audit: Resource = got('audit', 'Who changed what: of everything, of a kind, or of one object.', getAudit);

const getSources: Verb<ServerFlags & ListFlags> = {
  options: [outputOption('json', 'yaml')],
  load: async () => (await import('./read/sources.ts')).getSources,
};

export const sources: Resource = got('sources', 'Where hosts come from, and when each source was last heard of.', getSources);

export const events: Resource = got('events', 'The same as `watch`.', watch);
