#!/usr/bin/env node
/** `discovery --once`: the reading of hardware as a program of its own, for machines that have nothing of us installed. */
import { parseArgs } from 'node:util';
import { messageOf } from '@quartermaster/kernel';
import { agentVersion } from './agent/agent-version.ts';
import { HostMachine } from './machine/host-machine.ts';
import { printOnce } from './print-once.ts';

const usage = `Reads the hardware of this machine and prints it.

  discovery --once [--json] [--host-root <folder>] [--path <folder>]...

  --once        read once, print and end; there is no other way to run this program
  --json        as JSON
  --host-root   where the root filesystem of the machine is mounted; / unless given
  --path        a folder whose filesystem is measured; may be repeated
  --help        this text
`;

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      once: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'host-root': { type: 'string', default: '/' },
      path: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || !values.once) {
    (values.help ? process.stdout : process.stderr).write(usage);
    return values.help ? 0 : 2;
  }
  const reader = new HostMachine({ root: values['host-root'] });
  try {
    return await printOnce({ reader, agentVersion, json: values.json, filesystemPaths: values.path, out: process.stdout });
  } finally {
    reader.close();
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`discovery: ${messageOf(error)}\n`);
  return 2;
});
