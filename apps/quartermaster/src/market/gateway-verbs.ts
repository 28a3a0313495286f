import { Option } from 'commander';
import type { Verb } from '../server/resource.ts';
import { numberOption } from '../text/count-option.ts';
import { repeatedOption } from '../text/repeated-option.ts';
import type { LeaseEventsFlags } from './lease-events.ts';
import type { LeaseLogsFlags } from './lease-logs.ts';
import type { LeaseShellFlags } from './lease-shell.ts';
import type { SendManifestFlags } from './send-manifest.ts';

/** What is asked of the gateway of a lease. */

const gatewayOptions = (): readonly Option[] => [
  new Option('--gateway <url>', 'gateway to ask with credentials of your own, https://HOST:PORT, instead of asking a market for both'),
  new Option('--certificate-file <file>', 'with --gateway and --key-file: PEM file with the certificate to show it'),
  new Option('--gateway-ca-file <file>', 'with --gateway: PEM file with its certificate authority, or its certificate'),
];

const outputOption = (text: 'text' | 'table', description = 'output format'): Option =>
  new Option('-o, --output <format>', description).choices([text, 'json']).default(text);
const jsonOption = (): Option => new Option('--json', 'the same as -o json').implies({ output: 'json' });
const followOption = (): Option => new Option('-f, --follow', 'go on with what is new, until Ctrl-C').default(false);

export const leaseLogs: Verb<LeaseLogsFlags> = {
  options: [
    new Option('--service <names>', 'only of these services, with commas between them'),
    followOption(),
    numberOption('--tail <lines>', 'begin with so many lines of each pod (default: all)'),
    outputOption('text', 'output format; json is an object for each line'),
    jsonOption(),
    ...gatewayOptions(),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./lease-logs.ts')).leaseLogs,
};

export const leaseEvents: Verb<LeaseEventsFlags> = {
  options: [followOption(), outputOption('table', 'output format; json is an object for each line'), jsonOption(), ...gatewayOptions()],
  endsWhenInterrupted: true,
  load: async () => (await import('./lease-events.ts')).leaseEvents,
};

/** The process ends with the exit code of the command. */
export const leaseShell = (exitWith: (code: number) => void): Verb<LeaseShellFlags> => ({
  options: [
    new Option('--service <name>', 'service to run it in (default: the only one)'),
    numberOption('--pod-index <index>', 'which of its pods, in the order of their names').default(0),
    new Option('-t, --tty', 'give it a terminal (default: where input and output are one)'),
    new Option('--no-tty', 'give it none'),
    ...gatewayOptions(),
  ],
  endsWhenInterrupted: true,
  load: async () => {
    const { leaseShell: run } = await import('./lease-shell.ts');
    return async (args, flags, output, signal) => exitWith(await run(args, flags, output, signal));
  },
});

export const sendManifest: Verb<SendManifestFlags> = {
  options: [
    new Option('--manifest', 'the file is the manifest in JSON, not SDL').default(false),
    repeatedOption('--confirm <volume>', 'SERVICE/VOLUME whose data may be deleted; repeat for each'),
    outputOption('text'),
    jsonOption(),
    ...gatewayOptions(),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./send-manifest.ts')).sendManifest,
};
