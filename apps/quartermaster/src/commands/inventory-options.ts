import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type ServerFlags, serverVariable } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { dataDirOption } from './options.ts';

/** The flags by which every command about the inventory finds its server. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--server <host:port>', `of an inventory operator (default: $${serverVariable}, or that of the running \`up\`)`)
    .option('--token-file <file>', 'bearer token to show, read anew for each request')
    .option('--ca-file <file>', 'authority that signed the certificate of the server, in PEM form; implies TLS')
    .option('--cert-file <file>', 'own certificate to show, in PEM form')
    .option('--key-file <file>', 'key of the own certificate')
    .option('--tls-server-name <name>', 'name that the certificate of the server has, where it is not the address')
    .option('--insecure-skip-tls-verify', 'believe whoever answers; what is shown may then be anything')
    .addOption(dataDirOption('of the `up` in question'));
}

export const exactOption = (): Option => new Option('--exact', 'integers: millicores, bytes and devices').default(false);

/** The flags as the commands take them. Says so when they make the answer untrustworthy. */
export function resolved<T extends ServerFlags>(flags: T, { err }: Output): T {
  if (flags.insecureSkipTlsVerify === true) err.write('quartermaster: the server is not verified: anybody could be answering\n');
  return { ...flags, dataDir: resolve(flags.dataDir) };
}
