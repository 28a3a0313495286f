import type { MessageInitShape } from '@bufbuild/protobuf';
import type { BidScreeningRequest, BidScreeningResponseSchema, ResourceOfferSchema, ResourceUnit } from '@quartermaster/api/akash-provider';
import { invalidFields } from '@quartermaster/kernel';
import { concernReasons, type ProviderTerms } from '../../bids/concerns.ts';
import { type PriceScale, quoteByScale } from '../../bids/price-scale.ts';
import { cardsOfReplicas, type Quoted } from '../../bids/pricing.ts';
import type { Decide, Decision, Refused } from '../../book/decision.ts';
import type { HostnameBook } from '../../hostnames/hostname-book.ts';
import type { MarketOrder } from '../../market/market.ts';
import { parseDecimal } from '../../model/decimal.ts';
import { groupKey } from '../../placement/card-offer.ts';
import type { Plan } from '../../placement/plan.ts';
import type { CardGroup, Reason } from '../../placement/stock-facts.ts';
import { orderOfGroup } from './group-order.ts';

/*
 * Whether there would be a bid on a group, for whoever asks. It is decided by the rules of bids, and nothing is reserved. Reasons are for strangers: what says more than what they
 * asked for, as the names of nodes do, is told in general words. Prices of a program cost a process each: strangers get none, and are told so.
 */

export interface ScreeningDeps {
  readonly terms: () => ProviderTerms;
  /** Bounded by `cluster-placement-steps`. */
  readonly decide: Decide;
  /** Undefined where a program makes prices. */
  readonly prices: { readonly scale: PriceScale; readonly digits: number } | undefined;
  readonly hostnames: Pick<HostnameBook, 'check'>;
  /** This provider, as the market knows it. */
  readonly provider: string;
}

type Answer = MessageInitShape<typeof BidScreeningResponseSchema>;

const maxHostnames = 100;
const maxReasons = 20;

/** Looks for a place at once: the caller sees to it that there are not too many questions. Throws `invalid_argument` without a group. */
export function screen({ groupSpec, hostnames }: BidScreeningRequest, deps: ScreeningDeps): Answer {
  if (groupSpec === undefined) throw invalidFields([{ field: 'group_spec', description: 'is missing: say what is asked for' }]);
  const order = orderOfGroup(groupSpec);
  const terms = deps.terms();
  // Nobody knows who asks.
  const unconcerned = concernReasons(order, { ...terms, blockedOwners: [], allowedOwners: [] });
  const withheld = hostnameReasons(hostnames, deps);
  if (unconcerned.length > 0) return failed([...unconcerned, ...withheld]);
  const fit = deps.decide(order.request);
  if (fit.kind === 'refused') return failed([...fitReasons(fit), ...withheld]);
  const quoted = quoteOf(order, fit.plan, deps);
  if (quoted?.kind === 'no-price') return failed([...quoted.reasons, ...withheld]);
  if (withheld.length > 0) return failed(withheld);
  return {
    passed: true,
    reasons: notes(terms, quoted),
    resourceOffer: offerOf(groupSpec.resources, fit),
    ...(quoted && { price: { denom: quoted.quote.price.denom, amount: `${parseDecimal(quoted.quote.price.amount) ?? 0n}` } }),
  };
}

function failed(reasons: readonly Reason[]): Answer {
  const told = [...new Set(reasons.map(({ message }) => message))];
  const more = told.length - maxReasons;
  return { passed: false, reasons: more > 0 ? [...told.slice(0, maxReasons), `and ${more} more`] : told };
}

function notes({ allowedOwners }: ProviderTerms, quoted: Quoted | undefined): string[] {
  return [
    ...(allowedOwners.length === 0 ? [] : ['this provider bids only for accounts that it has allowed']),
    ...(quoted === undefined ? ['the price is not known before the bid: this provider has a program make it'] : []),
  ];
}

function hostnameReasons(hostnames: readonly string[], { hostnames: book, provider }: ScreeningDeps): readonly Reason[] {
  if (hostnames.length > maxHostnames)
    return [{ code: 'TooManyHostnames', message: `${hostnames.length} hostnames are named; a lease has at most ${maxHostnames}` }];
  const wanted = hostnames.map((hostname) => ({ hostname, service: '', externalPort: 80, isStatic: false }));
  const grants = book.check({ owner: '', dseq: 0n, gseq: 0, oseq: 0, provider }, wanted);
  return grants.filter(({ state }) => state === 'refused');
}

const unknown: Reason = { code: 'NotKnown', message: 'the provider does not know at the moment what is free: ask again later' };

const inGeneral: Readonly<Record<Exclude<Refused['why'], 'does-not-fit'>, Reason>> = {
  'not-known': unknown,
  'not-found': {
    code: 'NotFound',
    message: 'the provider found no place for it in the time that it takes for that: ask for fewer replicas, or for fewer kinds of them',
  },
  limit: { code: 'Limit', message: 'too much waits to be leased at this provider already: ask again later' },
};

/** Those that say nothing but what is asked for, and how much of it there is. */
const plain: ReadonlySet<string> = new Set(['NoRoom', 'NoRoomTogether', 'NoStorageClass', 'TooFewPorts', 'TooFewIps']);

function fitReasons({ why, reasons }: Refused): readonly Reason[] {
  if (why !== 'does-not-fit') return [inGeneral[why]];
  const told = reasons.filter(({ code }) => plain.has(code));
  const isAll = told.length === reasons.length && told.length > 0;
  return isAll ? told : [...told, { code: 'NotOffered', message: 'something that it asks for is not offered at the moment' }];
}

function quoteOf(order: MarketOrder, plan: Plan, { prices }: ScreeningDeps): Quoted | undefined {
  if (prices === undefined) return undefined;
  const { scale, digits } = prices;
  const quoted = quoteByScale(scale, order, plan, digits);
  if (quoted.kind === 'quote') return quoted;
  const message: Readonly<Record<string, string>> = {
    NoPrice: 'this provider has no price for it',
    NoGpuPrice: 'this provider has no price for the GPUs that it would get',
    DenomNotOffered: `this provider is paid in ${scale.denom}`,
  };
  return { ...quoted, reasons: quoted.reasons.map((reason) => ({ ...reason, message: message[reason.code] ?? reason.message })) };
}

/** The contract has room for one: a group of several units has none. With the cards that it would get, where that is certain. */
function offerOf(
  units: readonly ResourceUnit[],
  { plan }: Extract<Decision, { kind: 'plan' }>,
): MessageInitShape<typeof ResourceOfferSchema> | undefined {
  const [unit, ...others] = units;
  if (unit?.resource === undefined || others.length > 0) return undefined;
  const { id, cpu, memory, storage, gpu, endpoints } = unit.resource;
  const groups = new Map(cardsOfReplicas(plan, id).flatMap((cards) => cards.map((group) => [groupKey(group), group])));
  const [group] = groups.values();
  const attributes = groups.size === 1 && group !== undefined ? [{ key: cardKey(group), value: 'true' }] : undefined;
  const offered = gpu && (attributes === undefined ? gpu : { units: gpu.units, attributes });
  return { count: unit.count, resources: { id, cpu, memory, storage, gpu: offered, endpoints } };
}

/** As orders have it: without generations of interfaces. */
function cardKey({ vendor, model, memoryBytes, interface: form }: CardGroup): string {
  const ram = memoryBytes === 0 ? '' : `/ram/${Math.round(memoryBytes / 2 ** 30)}Gi`;
  const slot = form.toLowerCase().replace(/\d+$/, '');
  return `vendor/${vendor}/model/${model}${ram}${slot === '' ? '' : `/interface/${slot}`}`;
}
