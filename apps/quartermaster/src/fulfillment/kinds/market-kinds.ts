import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { Option } from 'commander';
import { contentIfNamed } from '../../server/content-of.ts';
import { entriesAt, isJsonObject, listAt, presentFields, textAt } from '../../text/json-path.ts';
import { listText, table } from '../../text/table.ts';
import { age, type Column, orNothing, state, text } from './columns.ts';
import { deliverySections, deliveryText } from './delivery-text.ts';
import { type CreateFlags, type Kind, type KindCreation, type MarketPlural, namesOfKind, type RelatedKind } from './kind.ts';
import {
  blockCell,
  expiryCell,
  groupsOf,
  groupsTable,
  modelsText,
  monthCell,
  mostOf,
  objectAt,
  orderAt,
  pricesAt,
  pricesText,
  resourcesText,
  servicesText,
} from './market-text.ts';

const id = text('ID', 'id');
const reason = text('REASON', 'status.closed_reason', { isWide: true });
const ofMarket = { server: 'market', order: 'metadata.creation_timestamp desc', stateOf: marketState, references: [] } as const;

/** What it costs for each block and each month. */
const priced = (prefix: string, path: string): readonly Column[] => [
  { header: `${prefix}PER BLOCK`, cell: (object) => blockCell(pricesAt(object, path)) },
  { header: `${prefix}PER MONTH`, cell: (object) => monthCell(pricesAt(object, path)) },
];

const below = (...plurals: readonly MarketPlural[]): readonly RelatedKind[] => plurals.map((plural) => ({ plural }));

/** Rows of which those without a text are left out. */
function rowsText(rows: readonly (readonly [string, string])[]): string {
  const [first = ['', ''], ...rest] = rows.filter(([, value]) => value !== '' && value !== '-');
  return table(first, rest);
}

const closedRows = (object: JsonObject): readonly (readonly [string, string])[] => [
  ['Closed', textAt(object, 'status.closed_at')],
  ['Reason', textAt(object, 'status.closed_reason')],
];

const priceAt = (object: JsonObject, path: string): string => pricesText(pricesAt(object, path));

const deployments: Kind = {
  ...namesOfKind('Deployment'),
  ...ofMarket,
  hasSecrets: true,
  summary: 'Deployments: what tenants want to run.',
  columns: [
    id,
    text('NAME', 'metadata.name'),
    state(marketState),
    { header: 'GROUPS', cell: (object) => listText(groupsOf(object).map((group) => textAt(group, 'name'))) },
    { header: 'AT MOST PER BLOCK', cell: (object) => blockCell(mostOf(groupsOf(object))) },
    { header: 'AT MOST PER MONTH', cell: (object) => monthCell(mostOf(groupsOf(object))) },
    age,
    text('OWNER', 'status.owner', { isWide: true }),
    text('MANIFEST', 'status.manifest_hash', { isWide: true }),
    reason,
  ],
  sections: (object) => ({
    Terms: rowsText([
      ['Owner', textAt(object, 'status.owner')],
      [
        'Chosen',
        textAt(object, 'spec.choice') === 'BID_CHOICE_CHEAPEST' ? 'the cheapest bid, by the market' : 'a bid that the tenant accepts',
      ],
      ['Costs at most', pricesText(mostOf(groupsOf(object)))],
      ['Manifest', textAt(object, 'status.manifest_hash')],
      ...closedRows(object),
    ]),
    Groups: [
      groupsTable(groupsOf(object), textAt(object, 'id')),
      ...groupsOf(object).flatMap((group) => {
        const why = textAt(group, 'closed_reason');
        return why === '' ? [] : [`${textAt(group, 'name')} is closed: ${why}\n`];
      }),
    ].join(''),
  }),
  related: below('orders', 'bids', 'leases'),
};

const orders: Kind = {
  ...namesOfKind('Order'),
  ...ofMarket,
  isOfOrder: true,
  summary: 'Orders: groups of deployments that providers bid on.',
  columns: [
    id,
    state(marketState),
    text('GROUP', 'spec.group_name'),
    { header: 'RESOURCES', cell: (object) => resourcesText(objectAt(object, 'spec.group')) },
    ...priced('AT MOST ', 'spec.group.max_price'),
    { header: 'BIDS', cell: (object) => textAt(object, 'status.bids') || '0' },
    {
      header: 'EXPIRES',
      cell: (object, { now }) =>
        expiryCell(textAt(object, 'status.state') === 'ORDER_STATE_OPEN' ? textAt(object, 'status.expires_at') : '', now),
    },
    age,
    { header: 'ORDER', isWide: true, cell: orderAt },
    reason,
  ],
  sections: (object) => {
    const group = objectAt(object, 'spec.group');
    const auditors = (which: 'all' | 'any'): string => listText(listAt(group, `requirements.signed_by_${which}_of`).map(String));
    return {
      Terms: rowsText([
        ['Order', orderAt(object)],
        ['Group', textAt(object, 'spec.group_name')],
        ['Costs at most', priceAt(object, 'spec.group.max_price')],
        ['Expires', textAt(object, 'status.state') === 'ORDER_STATE_OPEN' ? textAt(object, 'status.expires_at') : ''],
        ...closedRows(object),
      ]),
      Wants: rowsText([
        ['Services', servicesText(group)],
        ['Resources', resourcesText(group)],
        ['Attributes', listText(entriesAt(group, 'requirements.attributes').map(([key, value]) => `${key}=${String(value)}`))],
        ['Signed by all of', auditors('all')],
        ['Signed by any of', auditors('any')],
      ]),
    };
  },
  related: below('bids', 'leases'),
};

const bids: Kind = {
  ...namesOfKind('Bid'),
  ...ofMarket,
  summary: 'Bids: what providers ask for orders.',
  columns: [
    id,
    state(marketState),
    text('PROVIDER', 'spec.provider'),
    ...priced('', 'spec.price'),
    age,
    { header: 'ORDER', isWide: true, cell: orderAt },
    reason,
  ],
  sections: (object) => ({
    Terms: rowsText([
      ['Order', orderAt(object)],
      ['Provider', textAt(object, 'spec.provider')],
      ['Price', priceAt(object, 'spec.price')],
      ...closedRows(object),
    ]),
    Offer: listAt(object, 'spec.offer')
      .filter(isJsonObject)
      .map((unit) => `unit ${textAt(unit, 'unit') || '0'}: ${modelsText(listAt(unit, 'cards'))}\n`)
      .join(''),
  }),
};

const leases: Kind = {
  ...namesOfKind('Lease'),
  ...ofMarket,
  isOfOrder: true,
  providerView: (lease) =>
    lease === undefined
      ? '"quartermaster get running-leases" shows what this provider runs of them'
      : `"quartermaster describe running-lease ${orderAt(lease)}" shows what this provider runs of it`,
  summary: 'Leases at the market, for tenants and providers: state, price and what the provider reports.',
  columns: [
    id,
    state(marketState),
    { header: 'DELIVERY', cell: deliveryText },
    text('GROUP', 'spec.group_name'),
    text('PROVIDER', 'spec.provider'),
    ...priced('', 'spec.price'),
    age,
    { header: 'ORDER', isWide: true, cell: orderAt },
    { header: 'ENDED BY', isWide: true, cell: (object) => orNothing(endedBy(object)) },
    reason,
  ],
  sections: (object, { now }) => ({
    Terms: rowsText([
      ['Order', orderAt(object)],
      ['Group', textAt(object, 'spec.group_name')],
      ['Provider', textAt(object, 'spec.provider')],
      ['Price', priceAt(object, 'spec.price')],
      ['Ended by', endedBy(object)],
      ...closedRows(object),
    ]),
    ...deliverySections(object, now),
  }),
};

const endedBy = (lease: JsonObject): string => textAt(lease, 'status.ended_by').replace('LEASE_END_', '').toLowerCase();

interface OwnerKeyFlags extends CreateFlags {
  readonly certificateFile?: string | undefined;
  readonly publicKey?: string | undefined;
}

const ownerKeyCreation: KindCreation<OwnerKeyFlags> = {
  summary: 'A certificate or a public key by which providers know you.',
  options: [
    new Option('--certificate-file <file>', 'PEM file with a certificate whose common name is your account'),
    new Option('--public-key <base64>', 'compressed secp256k1 key').conflicts('certificateFile'),
  ],
  fields: ({ certificateFile, publicKey }) => ({
    spec: presentFields({ certificate: contentIfNamed(certificateFile, '--certificate-file'), public_key: publicKey }),
  }),
};

const ownerKeys: Kind = {
  ...namesOfKind('OwnerKey'),
  ...ofMarket,
  // It is there, or it is revoked and gone.
  stateOf: undefined,
  summary: 'Owner keys: certificates and public keys by which providers know the owner of a lease.',
  columns: [
    id,
    text('NAME', 'metadata.name'),
    { header: 'TYPE', cell: (object) => (textAt(object, 'spec.certificate') === '' ? 'public key' : 'certificate') },
    text('OWNER', 'status.owner'),
    { header: 'EXPIRES', cell: (object, { now }) => expiryCell(textAt(object, 'status.not_after'), now) },
    age,
    text('FINGERPRINT', 'status.fingerprint', { isWide: true }),
  ],
  creation: ownerKeyCreation,
};

/** All kinds of the market, in the order in which commands list them. */
export const marketKinds: readonly Kind[] = [deployments, orders, bids, leases, ownerKeys];
