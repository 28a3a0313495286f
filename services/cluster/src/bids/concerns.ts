import { fieldViolationsOf } from '@quartermaster/kernel';
import type { MarketOrder } from '../market/market.ts';
import { formatDecimal, parseDecimal } from '../model/decimal.ts';
import { type GpuNeed, type GpuWant, isPersistent, type Request } from '../placement/request.ts';
import { checkRequest } from '../placement/request-limits.ts';
import type { Reason } from '../placement/stock-facts.ts';

/** What this provider is to the market, and whom it deals with. */
export interface ProviderTerms {
  readonly attributes: ReadonlyMap<string, string>;
  /** Who has signed the attributes. */
  readonly auditors: ReadonlySet<string>;
  /** Owners by name, or by its beginning with a `*` after it. */
  readonly blockedOwners: readonly string[];
  /** Nobody else where there are any. */
  readonly allowedOwners: readonly string[];
  /** Attributes that an order must require. */
  readonly orderAttributes: ReadonlyMap<string, string>;
}

/** The network's own: 50 times the most of a unit. */
const maxPrice = parseDecimal('500000000') ?? 0n;
const maxVolumes = 4;
/** Texts of orders are told back; more of one would not be read. */
const maxTold = 100;
const denomForm = /^[a-zA-Z][\w/:.-]{0,127}$/;
const attributeKey = /^[a-zA-Z][\w/.-]{1,126}[\w*]?$/;

/** Why the order is none of our business, all reasons; empty where it is. */
export function concernReasons(order: MarketOrder, terms: ProviderTerms): readonly Reason[] {
  return [
    ...ownerReasons(order.order.owner, terms),
    ...malformedReasons(order),
    ...attributeReasons(order, terms),
    ...auditorReasons(order, terms),
    ...capabilityReasons(order.request, terms.attributes),
  ];
}

function ownerReasons(owner: string, { blockedOwners, allowedOwners }: ProviderTerms): readonly Reason[] {
  const matches = (pattern: string): boolean => isMatch(pattern, owner, '');
  const blocked = blockedOwners.find(matches);
  if (blocked !== undefined) return [{ code: 'OwnerBlocked', message: `${told(owner)} is blocked by ${blocked} of bid-blocked-owners` }];
  if (allowedOwners.length === 0 || allowedOwners.some(matches)) return [];
  return [{ code: 'OwnerNotAllowed', message: `${told(owner)} is not among bid-allowed-owners` }];
}

function malformedReasons({ malformed, request, requirements, maxPrice: most }: MarketOrder): readonly Reason[] {
  if (malformed !== undefined) return malformed;
  const reasons: Reason[] = requestProblems(request).map((message) => ({ code: 'OrderMalformed', message }));
  for (const key of requirements.attributes.keys()) {
    if (!attributeKey.test(key))
      reasons.push({ code: 'OrderMalformed', message: `it requires the attribute ${told(key)}, which is not a valid name of one` });
  }
  if (!denomForm.test(most.denom))
    reasons.push({ code: 'OrderMalformed', message: `it pays in ${told(most.denom)}, which is not a valid denom` });
  const amount = parseDecimal(most.amount);
  if (amount === undefined || amount === 0n)
    reasons.push({ code: 'OrderMalformed', message: `its highest price is ${told(most.amount)}; it must be a decimal number above zero` });
  else if (amount > maxPrice)
    reasons.push({
      code: 'OrderMalformed',
      message: `its highest price is ${told(most.amount)}; it must be at most ${formatDecimal(maxPrice)}`,
    });
  for (const { id, volumes } of request.units) {
    if (volumes.length > maxVolumes)
      reasons.push({
        code: 'TooManyVolumes',
        message: `unit ${id} has ${volumes.length} volumes; a bid is made for at most ${maxVolumes}`,
      });
  }
  return reasons;
}

function requestProblems(request: Request): readonly string[] {
  try {
    checkRequest(request);
    return [];
  } catch (thrown) {
    const found = fieldViolationsOf(thrown);
    if (found.length === 0) throw thrown;
    return found.map(({ field, description }) => `${field} ${description}`);
  }
}

function attributeReasons({ requirements }: MarketOrder, { attributes, orderAttributes }: ProviderTerms): readonly Reason[] {
  const missing = [...requirements.attributes].filter(([key, value]) => !has(attributes, key, value));
  const unwanted = [...orderAttributes].filter(([key, value]) => requirements.attributes.get(key) !== value);
  return [
    ...missing.map(([key, value]) => ({
      code: 'AttributeMissing',
      message: `it requires ${told(key)}=${told(value)}, which bid-provider-attributes do not have`,
    })),
    ...unwanted.map(([key, value]) => ({
      code: 'OrderAttributeMissing',
      message: `it does not require ${key}=${value}, as bid-order-attributes require`,
    })),
  ];
}

const has = (attributes: ReadonlyMap<string, string>, pattern: string, value: string): boolean =>
  attributes.get(pattern) === value || [...attributes].some(([key, ours]) => ours === value && isMatch(pattern, key, '/'));

/** A `*` at the end of a pattern stands for anything without `separator`. */
function isMatch(pattern: string, text: string, separator: string): boolean {
  if (!pattern.endsWith('*')) return pattern === text;
  const start = pattern.slice(0, -1);
  return text.startsWith(start) && (separator === '' || !text.includes(separator, start.length));
}

function auditorReasons({ requirements: { signedByAllOf, signedByAnyOf } }: MarketOrder, { auditors }: ProviderTerms): readonly Reason[] {
  const reasons = signedByAllOf
    .filter((auditor) => !auditors.has(auditor))
    .map((auditor) => ({
      code: 'AuditorMissing',
      message: `it requires that ${told(auditor)} has signed the attributes of this provider`,
    }));
  if (signedByAnyOf.length > 0 && !signedByAnyOf.some((auditor) => auditors.has(auditor))) {
    const named = signedByAnyOf.slice(0, 3).map(told).join(', ');
    reasons.push({ code: 'AuditorMissing', message: `it requires that one of ${named} has signed the attributes of this provider` });
  }
  return reasons;
}

/**
 * Attributes that tell what cards and storage there are bound what is bid for. A provider that has none of them says nothing of it: the inventory alone decides then.
 */
function capabilityReasons({ units }: Request, attributes: ReadonlyMap<string, string>): readonly Reason[] {
  const cards = declared(attributes, 'capabilities/gpu/');
  const classes = storageClasses(attributes);
  return units.flatMap(({ id, gpus, volumes }) => {
    const reasons: Reason[] = [];
    if (cards.length > 0 && gpus !== undefined && gpus.count > 0 && !isOffered(gpus, cards))
      reasons.push({
        code: 'GpuNotOffered',
        message: `unit ${id} asks for GPUs that no capabilities/gpu attribute of this provider offers`,
      });
    for (const volume of volumes.filter(isPersistent)) {
      if (classes !== undefined && !classes.has(volume.class))
        reasons.push({
          code: 'StorageNotOffered',
          message: `unit ${id} asks for storage of class ${told(volume.class)}, which no capabilities/storage attributes of this provider offer`,
        });
    }
    return reasons;
  });
}

const declared = (attributes: ReadonlyMap<string, string>, prefix: string): readonly string[] =>
  [...attributes].filter(([key, value]) => key.startsWith(prefix) && value !== 'false').map(([key]) => key.slice(prefix.length));

/** Keys are `vendor/<v>/model/<m>`, with `/ram/<x>` and `/interface/<y>` after it where that is told. */
function isOffered({ wants }: GpuNeed, offered: readonly string[]): boolean {
  return wants.some((want) => offered.some((key) => isCard(want, key)));
}

function isCard({ vendor, model, memoryBytes, interface: form }: GpuWant, key: string): boolean {
  const parts = key.split('/');
  const part = (name: string): string | undefined => {
    const at = parts.findIndex((each, i) => i % 2 === 0 && each === name);
    return at < 0 ? undefined : parts[at + 1];
  };
  const [ram, slot] = [part('ram'), part('interface')];
  const isModel = part('vendor') === vendor && (model === '*' || part('model') === '*' || part('model') === model);
  const isRam = ram === undefined || memoryBytes === undefined || ram === `${memoryBytes / 2 ** 30}Gi`;
  return isModel && isRam && (slot === undefined || form === undefined || slot.startsWith(form));
}

/** Classes of groups `capabilities/storage/<n>/…` that are persistent; undefined where there is no such group. */
function storageClasses(attributes: ReadonlyMap<string, string>): ReadonlySet<string> | undefined {
  const groups = new Set(declared(attributes, 'capabilities/storage/').map((key) => key.split('/')[0] ?? ''));
  if (groups.size === 0) return undefined;
  const of = (group: string, name: string): string | undefined => attributes.get(`capabilities/storage/${group}/${name}`);
  return new Set([...groups].filter((group) => of(group, 'persistent') === 'true').flatMap((group) => of(group, 'class') ?? []));
}

const told = (text: string): string => (text.length > maxTold ? `${text.slice(0, maxTold)}…` : text);
