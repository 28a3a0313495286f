import { Option } from 'commander';
import type { Verb } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { countOption } from '../text/count-option.ts';
import { repeatedOption } from '../text/repeated-option.ts';
import type { MarketFlag } from './login/login.ts';
import type { WatchFlags } from './read/run-watch.ts';
import type { ApplyFlags } from './write/apply.ts';
import type { ClaimFlags, ReleaseFlags } from './write/assign-hosts.ts';

/** What is done with a fulfillment service and not with one resource of it. */

export const dryRunOption = new Option('--dry-run', 'check the request on the server and write nothing').default(false);

export const withStatusOption = (description: string): Option => new Option('--with-status', description).default(false);

export const writtenOption = new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml', 'name']).default('text');

export const watch: Verb<WatchFlags> = {
  args: '[kind...]',
  options: [
    new Option('-o, --output <format>', 'output format').choices(['table', 'json', 'yaml']).default('table'),
    new Option('--filter <expression>', 'CEL expression that events must match, such as event.type == EVENT_TYPE_OBJECT_CREATED'),
    new Option('--from <token>', 'resume after this event: a token that -o json printed'),
  ],
  endsWhenInterrupted: true,
  load: async () => {
    const [{ watchEvents }, { everyKind, kindTyped }] = await Promise.all([import('./read/run-watch.ts'), import('./kinds/kinds.ts')]);
    return (kinds, flags, output, signal) =>
      watchEvents(
        kinds.map((kind) => kindTyped(kind, everyKind).plural),
        flags,
        output,
        signal,
      );
  },
};

const fileOptions = [
  repeatedOption('-f, --filename <file>', 'YAML or JSON file with one or more objects, a directory of such files, or - for standard input'),
  withStatusOption('also write the status, which controllers report'),
  dryRunOption,
  writtenOption,
];

export const apply: Verb<ApplyFlags> = {
  options: fileOptions,
  load: async () => (await import('./write/apply.ts')).applyFiles,
};

export const createFiles: Verb<ApplyFlags> = {
  options: fileOptions,
  load: async () => (await import('./write/apply.ts')).createFromFiles,
};

export const claim: Verb<ClaimFlags> = {
  options: [
    countOption('--count <count>', 'total number of hosts (default: the size of the node set)'),
    new Option('--all-or-nothing', 'assign no hosts when too few are free').default(false),
    dryRunOption,
  ],
  load: async () => (await import('./write/assign-hosts.ts')).claimHosts,
};

export const release: Verb<ReleaseFlags> = {
  options: [repeatedOption('--host <name>', 'release only this host; may be given several times'), dryRunOption],
  load: async () => (await import('./write/assign-hosts.ts')).releaseHosts,
};

export const marketOption = (): Option => new Option('--market', 'a market, instead of a fulfillment service').default(false);

export const whoami: Verb<ServerFlags & MarketFlag> = {
  options: [marketOption()],
  load: async () => (await import('./login/login.ts')).whoami,
};

export const keysStatus: Verb<ServerFlags> = {
  options: [],
  load: async () => (await import('./service/secret-keys.ts')).showKeys,
};

export const keysReencrypt: Verb<ServerFlags> = {
  options: [],
  endsWhenInterrupted: true,
  load: async () => (await import('./service/secret-keys.ts')).reencrypt,
};
