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
  const { noun, port, addressVariable, hasLogins, hasTwoApis } = serverNamed(name);
  const otherwise = hasLogins ? 'the current login, or the running `up`' : 'or that of the running `up`';
  command.option(
    '--server <address>',
    `address of ${noun}: HOST[:PORT], https://… or http://…; port ${port} unless given (default: $${addressVariable}, ${otherwise})`,
  );
  if (hasLogins) command.option('--context <name>', `saved login to use (default: $${contextVariable}, or the current one)`);
  command.option('--token-file <file>', 'file with the bearer token, read again for each request');
  if (hasTwoApis) {
    command
      .option('--public', 'use the API for tenants, whatever your role')
      .option('--private', 'use the API for providers, whatever your role');
  }
  withTlsOptions(command.option('--data-dir <dir>', 'use the `up` that runs on this data directory'));
}

export function withTlsOptions(command: Command): Command {
  return command
    .option('--ca-file <file>', 'PEM file with the certificate authority of the server; implies TLS')
    .option('--cert-file <file>', 'PEM file with the client certificate')
    .option('--key-file <file>', 'PEM file with the key of the client certificate')
    .option('--tls-server-name <name>', 'name to verify in the certificate of the server (default: the host of the address)')
    .option('--insecure-skip-tls-verify', 'do not verify the certificate of the server; insecure');
}

/** The flags as commands take them. Says so when they make the answer untrustworthy. */
export function checkedFlags<T extends ServerFlags>(flags: T, { err }: Output): T {
  if (flags.insecureSkipTlsVerify === true)
    err.write('quartermaster: the certificate of the server is not verified: the answers may come from anybody\n');
  return flags.dataDir === undefined ? flags : { ...flags, dataDir: resolve(flags.dataDir) };
}
