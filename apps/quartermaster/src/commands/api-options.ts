import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiFlags } from '../fulfillment/api-flags.ts';
import { apiServerVariable, contextVariable } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';

/** The flags by which every command about hosts and clusters finds its service. */
export function withApiOptions(command: Command): Command {
  return withTlsOptions(command)
    .option('--server <address>', `of a fulfillment service (default: $${apiServerVariable}, the current login, or the running \`up\`)`)
    .option('--context <name>', `which saved login (default: $${contextVariable}, or the last one)`)
    .option('--token-file <file>', 'bearer token to show, read anew for each request')
    .option('--public', "use the tenants' API, whatever you may do")
    .option('--private', "use the provider's API, whatever you may do")
    .option('--data-dir <dir>', 'ask the `up` that runs on this directory');
}

export function withTlsOptions(command: Command): Command {
  return command
    .option('--ca-file <file>', 'authority that signed the certificate of the service, in PEM form; implies TLS')
    .option('--cert-file <file>', 'own certificate to show, in PEM form')
    .option('--key-file <file>', 'key of the own certificate')
    .option('--tls-server-name <name>', 'name that the certificate of the service has, where it is not the address')
    .option('--insecure-skip-tls-verify', 'believe whoever answers; what is shown may then be anything');
}

/** The flags as the commands take them. Says so when they make the answer untrustworthy. */
export function apiFlags<T extends ApiFlags>(flags: T, { err }: Output): T {
  if (flags.insecureSkipTlsVerify === true) err.write('quartermaster: the service is not verified: anybody could be answering\n');
  return flags.dataDir === undefined ? flags : { ...flags, dataDir: resolve(flags.dataDir) };
}

const repeated = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** A flag that may be given several times. */
export const repeatedOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(repeated).default([], 'none');

export function countOf(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 2 ** 31 - 1) throw new InvalidArgumentError('it must be a whole number from 1 on');
  return count;
}

export const dryRunOption = (): Option => new Option('--dry-run', 'have everything checked and nothing written').default(false);

export const writtenOption = (): Option =>
  new Option('-o, --output <format>', 'a line, or for programs').choices(['text', 'json', 'yaml', 'name']).default('text');
