import { Option } from 'commander';
import { createKind, deleteKind, describeKind, getKind } from '../fulfillment/fulfillment-resources.ts';
import { dryRunOption } from '../fulfillment/fulfillment-verbs.ts';
import type { Kind } from '../fulfillment/kinds/kind.ts';
import { marketKinds } from '../fulfillment/kinds/market-kinds.ts';
import type { Resource, Verb } from '../server/resource.ts';
import { repeatedOption } from '../text/repeated-option.ts';
import { outputOption, watchOption } from '../text/show-list.ts';
import type { AcceptFlags } from './accept.ts';
import type { CloseFlags } from './close.ts';
import type { DeployFlags } from './deploy.ts';
import type { ExplainBidFlags } from './explain-bid.ts';
import type { LeaseStatusFlags } from './lease-status.ts';
import type { LeaseUpdateFlags } from './lease-update.ts';

const answerOption = (): Option => new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text');
const jsonOption = (): Option => new Option('--json', 'the same as -o json').implies({ output: 'json' });

const closeKind = (plural: 'deployments' | 'leases', summary: string): Verb<CloseFlags> => ({
  args: '<name>',
  summary,
  options: [
    new Option('--reason <text>', 'why, for people: it is kept with what is closed'),
    new Option('-y, --yes', 'do not ask for confirmation').default(false),
    dryRunOption,
    answerOption(),
    jsonOption(),
  ],
  load: async () => (await import('./close.ts')).closeObject(plural),
});

export const leaseClose: Verb<CloseFlags> = closeKind(
  'leases',
  'A lease. The market creates a new order for its group; to end it for good, close the deployment.',
);

const closing: Readonly<Partial<Record<Kind['plural'], Verb<CloseFlags>>>> = {
  deployments: closeKind('deployments', 'A deployment, with all of its orders, bids and leases.'),
  leases: leaseClose,
};

function marketResource(kind: Kind): Resource {
  const { plural, singular, aliases, summary, creation } = kind;
  const close = closing[plural];
  return {
    server: 'market',
    plural,
    singular,
    aliases,
    summary,
    verbs: {
      get: getKind(kind),
      describe: describeKind(kind),
      ...(close === undefined ? {} : { close }),
      ...(creation === undefined ? {} : { create: createKind(kind, creation), delete: deleteKind(kind) }),
    },
    names: async () => (await import('../fulfillment/read/object-names.ts')).objectNames(plural),
  };
}

export const marketResources: readonly Resource[] = marketKinds.map(marketResource);

const explainBid: Verb<ExplainBidFlags> = {
  args: '<order>',
  options: [answerOption(), jsonOption()],
  load: async () => (await import('./explain-bid.ts')).explainBid,
};

/** What the provider's own service has on record of them. */
export const bidDecisions: Resource = {
  server: 'cluster',
  plural: 'bids',
  singular: 'bid',
  aliases: [],
  summary: 'Why the provider bid on an order (OWNER/DSEQ/GSEQ/OSEQ) or did not: reasons, price and every step with its time.',
  verbs: { explain: explainBid },
};

export const deploy: Verb<DeployFlags> = {
  options: [
    new Option('--choice <who>', 'who chooses among the bids: the market takes the cheapest, or the tenant accepts one')
      .choices(['cheapest', 'tenant'])
      .default('cheapest'),
    new Option('--name <name>', 'name of the deployment'),
    new Option('--tenant <name>', 'tenant whose account it is for (default: your only one)'),
    new Option('--wait', 'show orders, bids and leases as they come, until every group runs').default(false),
    new Option(
      '--timeout <duration>',
      'with --wait: maximum time to wait, such as 5m (default: until every group runs or its order is closed)',
    ),
    new Option('--dry-run', 'show the groups and the most that they cost, and order nothing').default(false),
    answerOption(),
    jsonOption(),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./deploy.ts')).deploy,
};

export const leaseStatus: Verb<LeaseStatusFlags> = {
  options: [outputOption('json', 'yaml'), jsonOption(), watchOption()],
  endsWhenInterrupted: true,
  load: async () => (await import('./lease-status.ts')).leaseStatus,
};

export const leaseUpdate: Verb<LeaseUpdateFlags> = {
  options: [
    repeatedOption('--confirm <volume>', 'SERVICE/VOLUME whose data may be deleted; repeat for each'),
    new Option('-y, --yes', 'do not ask for confirmation; deleting data still requires --confirm').default(false),
    new Option('--no-wait', 'do not wait until it runs or is refused'),
    new Option('--timeout <duration>', 'maximum time to wait').default('5m'),
    new Option('--dry-run', 'show what would change, and update nothing').default(false),
    answerOption(),
    jsonOption(),
  ],
  endsWhenInterrupted: true,
  load: async () => (await import('./lease-update.ts')).updateLease,
};

export const accept: Verb<AcceptFlags> = {
  options: [dryRunOption, answerOption(), jsonOption()],
  load: async () => (await import('./accept.ts')).accept,
};
