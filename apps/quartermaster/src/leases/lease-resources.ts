import { Option } from 'commander';
import type { Resource, Verb } from '../server/resource.ts';
import { outputOption, watchOption } from '../text/show-list.ts';
import type { CloseLeaseFlags } from './close-running-lease.ts';
import type { CollectFlags } from './collect-leftovers.ts';
import type { DescribeLeaseFlags } from './describe-running-lease.ts';
import type { GetHostnamesFlags } from './get-hostnames.ts';
import type { GetRunningLeasesFlags } from './get-running-leases.ts';
import type { GetShellsFlags } from './get-shells.ts';
import type { TransferFlags } from './transfer-hostname.ts';

const answerOption = (): Option => new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text');
const yesOption = (): Option => new Option('-y, --yes', 'do not ask for confirmation').default(false);

const getRunningLeases: Verb<GetRunningLeasesFlags> = {
  args: '[name...]',
  options: [
    outputOption('wide', 'json', 'yaml', 'name'),
    watchOption(),
    new Option('--owner <account>', 'only leases of this tenant'),
    new Option('--state <state>', 'only leases in this state').choices(['pending', 'active', 'error', 'complete']),
    new Option('--node <name>', 'only leases with a pod on this node'),
    new Option('--namespace <name>', 'only the lease in this namespace'),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./get-running-leases.ts')).getRunningLeases,
};

const describeRunningLease: Verb<DescribeLeaseFlags> = {
  args: '<name>',
  summary: 'A lease of this provider: its progress, services, pods, GPUs, hostnames, volumes and problems.',
  options: [answerOption(), new Option('--exact', 'print exact integers: bytes').default(false)],
  load: async () => (await import('./describe-running-lease.ts')).describeRunningLease,
};

const closeRunningLease: Verb<CloseLeaseFlags> = {
  args: '<name>',
  summary: 'A lease of this provider, on its behalf. Its workload is stopped and removed.',
  options: [new Option('--reason <text>', 'reason, shown to the tenant'), yesOption()],
  load: async () => (await import('./close-running-lease.ts')).closeRunningLease,
};

/** What the provider's own service has on record of leases, beside what the market says of them. */
export const runningLeases: Resource = {
  server: 'cluster',
  plural: 'running-leases',
  singular: 'running-lease',
  aliases: ['rl'],
  summary: 'Leases as this provider runs them, for providers: nodes, pods, GPUs and health. Tenants: see "get leases".',
  verbs: { get: getRunningLeases, describe: describeRunningLease, close: closeRunningLease },
  names: async () => (await import('./lease-names.ts')).leaseNames,
  optionValues: {
    owner: async () => (await import('./lease-names.ts')).leaseOwners,
    node: async () => (await import('./lease-names.ts')).leasedNodes,
    namespace: async () => (await import('./lease-names.ts')).leaseNamespaces,
  },
};

const getHostnames: Verb<GetHostnamesFlags> = {
  options: [outputOption('wide', 'json', 'yaml', 'name'), watchOption(), new Option('--owner <account>', 'only hostnames of this tenant')],
  endsWhenInterrupted: true,
  load: async () => (await import('./get-hostnames.ts')).getHostnames,
};

export const hostnames: Resource = {
  server: 'cluster',
  plural: 'hostnames',
  singular: 'hostname',
  aliases: [],
  summary: 'Hostnames: which lease each belongs to, and released ones still reserved for their last owner.',
  verbs: { get: getHostnames },
  names: async () => (await import('./lease-names.ts')).hostnameNames,
  optionValues: { owner: async () => (await import('./lease-names.ts')).leaseOwners },
};

const getShells: Verb<GetShellsFlags> = {
  options: [outputOption('wide', 'json', 'yaml', 'name'), watchOption(), new Option('--owner <account>', 'only shells of this tenant')],
  endsWhenInterrupted: true,
  load: async () => (await import('./get-shells.ts')).getShells,
};

export const tenantShells: Resource = {
  server: 'cluster',
  plural: 'shells',
  singular: 'shell',
  aliases: [],
  summary: 'Shells that tenants opened in their leases, for providers: who, when and from where. Not what was typed.',
  verbs: { get: getShells },
  optionValues: { owner: async () => (await import('./lease-names.ts')).leaseOwners },
};

export const transferHostname: Verb<TransferFlags> = {
  options: [
    new Option(
      '--to <order>',
      'lease that gets it, of the same owner: OWNER/DSEQ/GSEQ/OSEQ, or its ID at the market',
    ).makeOptionMandatory(),
    new Option('--service <name>', 'service of that lease that gets it').makeOptionMandatory(),
    yesOption(),
    answerOption(),
  ],
  load: async () => (await import('./transfer-hostname.ts')).transferHostname,
};

export const collectLeftovers: Verb<CollectFlags> = {
  options: [new Option('--dry-run', 'list what is left, and remove nothing').default(false), yesOption(), answerOption()],
  load: async () => (await import('./collect-leftovers.ts')).collectLeftovers,
};
