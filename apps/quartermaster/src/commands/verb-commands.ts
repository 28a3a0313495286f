import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createFiles } from '../fulfillment/fulfillment-verbs.ts';
import type { Verb, VerbName } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { contextVariable, type ServerName, serverNamed } from '../server/servers.ts';
import type { Output } from '../text/output.ts';
import type { CommandContext, Declare } from './command.ts';
import { untilInterrupted } from './interruption.ts';
import { resources } from './resources.ts';

/** A verb with a command below it for each resource that knows it. */
export function verbCommand(verb: VerbName): Declare {
  return (command, context) => {
    for (const { server, plural, singular, aliases, summary, verbs } of resources) {
      const declared = verbs[verb];
      if (declared === undefined) continue;
      const [name, ...others] = new Set(verb === 'get' ? [plural, singular, ...aliases] : [singular, plural, ...aliases]);
      const below = command.command([name, declared.args ?? ''].join(' ').trim()).aliases(others);
      askingCommand(server, declared)(below.description(declared.summary ?? summary), context);
    }
  };
}

/** `create`: of files, and of flags the kinds that can be made of them. */
export const createCommand: Declare = (command, context) => {
  // Else what is said of an object would be taken as said of files.
  command.enablePositionalOptions();
  askingCommand('fulfillment', createFiles)(command, context);
  verbCommand('create')(command, context);
};

/** A command that asks a server. */
export function askingCommand(server: ServerName, verb: Verb): Declare {
  return (command, { output }: CommandContext) => {
    withServerOptions(command, server);
    for (const option of verb.options) command.addOption(option);
    command.action(async (...given: readonly unknown[]) => {
      const ask = await verb.load();
      const args = given
        .slice(0, -2)
        .flat()
        .filter((each) => typeof each === 'string');
      // The flags are those that the options of the verb declare.
      const flags = checkedFlags(given.at(-2) as ServerFlags, output) as never;
      if (verb.endsWhenInterrupted === true) await untilInterrupted((signal) => ask(args, flags, output, signal));
      else await ask(args, flags, output, new AbortController().signal);
    });
  };
}

function withServerOptions(command: Command, name: ServerName): void {
  const { noun, addressVariable, hasLogins, hasTwoApis } = serverNamed(name);
  const otherwise = hasLogins ? 'the current login, or the running `up`' : 'or that of the running `up`';
  command.option('--server <address>', `of ${noun} (default: $${addressVariable}, ${otherwise})`);
  if (hasLogins) command.option('--context <name>', `which saved login (default: $${contextVariable}, or the last one)`);
  command.option('--token-file <file>', 'bearer token to show, read anew for each request');
  if (hasTwoApis) {
    command
      .option('--public', "use the tenants' API, whatever you may do")
      .option('--private', "use the provider's API, whatever you may do");
  }
  withTlsOptions(command.option('--data-dir <dir>', 'ask the `up` that runs on this directory'));
}

export function withTlsOptions(command: Command): Command {
  return command
    .option('--ca-file <file>', 'authority that signed the certificate of the server, in PEM form; implies TLS')
    .option('--cert-file <file>', 'own certificate to show, in PEM form')
    .option('--key-file <file>', 'key of the own certificate')
    .option('--tls-server-name <name>', 'name that the certificate of the server has, where it is not the address')
    .option('--insecure-skip-tls-verify', 'believe whoever answers; what is shown may then be anything');
}

/** The flags as commands take them. Says so when they make the answer untrustworthy. */
export function checkedFlags<T extends ServerFlags>(flags: T, { err }: Output): T {
  if (flags.insecureSkipTlsVerify === true) err.write('quartermaster: the server is not verified: anybody could be answering\n');
  return flags.dataDir === undefined ? flags : { ...flags, dataDir: resolve(flags.dataDir) };
}
