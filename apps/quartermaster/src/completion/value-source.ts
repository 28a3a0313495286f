import { resolve } from 'node:path';
import type { Argument, Option } from 'commander';
import { everyKind, kinds, kindTyped } from '../fulfillment/kinds/kinds.ts';
import { ContextsFile, contextsPath } from '../server/contexts-file.ts';
import type { Resource } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import type { TypedLine } from './typed-line.ts';

/** What a value can be: words, or paths of this machine, which the shell completes better. */
export type Values = readonly string[] | 'files' | 'folders';

/** Whoever presses Tab does not wait longer for an answer of a server. Tests do, where the machine is slow. */
const patienceMs = Number(process.env['QUARTERMASTER_TEST_COMPLETION_MS'] ?? 1_000);

// what an argument or option is called -> the resource whose names it takes
const named: Readonly<Record<string, string>> = {
  cluster: 'clusters',
  template: 'cluster-templates',
  class: 'host-classes',
  host: 'hosts',
  node: 'nodes',
  device: 'gpus',
  order: 'reservations',
  bid: 'bids',
  lease: 'leases',
  hostname: 'hostnames',
  to: 'running-leases',
};

/** The values of an option that begin with the prefix, and perhaps others. */
export async function optionValues(option: Option, typed: TypedLine, prefix: string, resources: readonly Resource[]): Promise<Values> {
  if (option.argChoices !== undefined) return option.argChoices;
  const attribute = option.attributeName();
  if (attribute === 'context') return savedLogins();
  const own = await resourceNamed(typed.command.name(), resources)?.optionValues?.[attribute]?.();
  if (own !== undefined) return await own(prefix, serverFlags(typed.flags));
  const resource = resourceNamed(named[attribute], resources);
  if (resource !== undefined) return await namesOf(resource, typed, prefix);
  if (/[<|]file>/.test(option.flags)) return 'files';
  return option.flags.includes('<dir>') ? 'folders' : [];
}

/** As `optionValues`, of an argument. */
export async function argumentValues(
  argument: Argument,
  typed: TypedLine,
  prefix: string,
  resources: readonly Resource[],
): Promise<Values> {
  if (argument.argChoices !== undefined) return argument.argChoices;
  const name = argument.name();
  const { command, args, flags } = typed;
  const below = command.parent?.name() ?? '';
  switch (name) {
    case 'file':
      return 'files';
    case 'kind':
      return (command.name() === 'watch' ? everyKind : kinds).map(({ plural }) => plural);
    case 'node-set': {
      const { nodeSetNames } = await import('../fulfillment/read/object-names.ts');
      return await nodeSetNames(args[0] ?? '', serverFlags(flags));
    }
    case 'name': {
      if (['contexts', 'logout'].includes(command.name())) return savedLogins();
      // What is created has no name yet.
      if (below === 'create') return [];
      const about = command.registeredArguments[0]?.name() === 'kind' ? kindTyped(args[0] ?? '').plural : command.name();
      const resource = resourceNamed(about, resources);
      return resource === undefined ? [] : await namesOf(resource, typed, prefix);
    }
    default: {
      // What is made has no name yet.
      if (command.name() === 'reserve') return [];
      const resource = resourceNamed(named[name], resources);
      return resource === undefined ? [] : await namesOf(resource, typed, prefix);
    }
  }
}

function resourceNamed(name: string | undefined, resources: readonly Resource[]): Resource | undefined {
  return name === undefined ? undefined : resources.find(({ plural, singular, aliases }) => [plural, singular, ...aliases].includes(name));
}

async function namesOf({ names }: Resource, { flags }: TypedLine, prefix: string): Promise<readonly string[]> {
  const list = await names?.();
  return list === undefined ? [] : await list(prefix, serverFlags(flags));
}

/** What was typed about the server. Of flags that others declare, nobody asks. */
function serverFlags(flags: TypedLine['flags']): ServerFlags {
  const given: ServerFlags = Object.fromEntries(flags);
  return { ...given, dataDir: given.dataDir === undefined ? undefined : resolve(given.dataDir), deadlineMs: patienceMs };
}

const savedLogins = (): readonly string[] => Object.keys(new ContextsFile(contextsPath(process.env)).read().contexts);
