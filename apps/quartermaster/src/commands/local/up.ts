import { resolve } from 'node:path';
import { Option } from 'commander';
import type { UpOptions } from '../../up/up-options.ts';
import type { Declare } from '../command.ts';
import { dataDirOption, portOf } from './options.ts';

interface UpFlags extends Omit<UpOptions, 'confirmed' | 'reset' | 'json'> {
  readonly yes?: boolean;
  readonly reset?: boolean;
  readonly json?: boolean;
}

const defaultPort = 7390;

/** `quartermaster up`: everything in one go. */
export const declare: Declare = (command, { output, exitWith }) => {
  command
    .addOption(dataDirOption('directory for all data'))
    .option('--reset', 'start over: delete what an earlier `up` keeps in the data directory')
    .option('--yes', 'do not ask before deleting')
    .option('--scenario <name|file>', 'which world to simulate: small, gpu-farm, 5000-nodes, or a file (default: the one kept, or small)')
    .addOption(
      new Option('--kubeconfig <file>', 'work on this cluster instead; nothing is simulated').conflicts(['scenario', 'kubernetes']),
    )
    .addOption(
      new Option('--kubernetes <kind>', 'simulated: our own API server; real: a Kubernetes control plane with simulated nodes')
        .choices(['simulated', 'real'])
        .default('simulated'),
    )
    .addOption(new Option('--port <port>', 'of the console').argParser(portOf).default(defaultPort))
    .option('--json', 'progress as one JSON object per line')
    .addOption(
      new Option('--log-level <level>', 'log level, for standard error').choices(['debug', 'info', 'warn', 'error']).default('warn'),
    )
    .action(async (flags: UpFlags) => {
      const { runUp } = await import('../../up/run-up.ts');
      const { yes = false, reset = false, json = false, ...options } = flags;
      exitWith(await runUp({ ...options, dataDir: resolve(options.dataDir), confirmed: yes, reset, json }, output));
    });
};
