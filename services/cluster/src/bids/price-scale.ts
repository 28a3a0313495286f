import type { MarketOrder } from '../market/market.ts';
import { divideUp, formatDecimal } from '../model/decimal.ts';
import type { Plan } from '../placement/plan.ts';
import type { Volume } from '../placement/request.ts';
import type { CardGroup, Reason } from '../placement/stock-facts.ts';
import { cardsOfReplicas, checkedQuote, endpointsOf, leasedIpsOf, noPrice, type Pricing, type Quoted } from './pricing.ts';

/** Prices for each block of the market, as so many 10^-18. */
export interface PriceScale {
  readonly denom: string;
  /** Of a millicore. */
  readonly cpu: bigint;
  /** Of a MiB. */
  readonly memory: bigint;
  /** Class -> of a MiB: `ephemeral`, `ram`, classes of persistent volumes; `default` for those that are not named. */
  readonly storage: ReadonlyMap<string, bigint>;
  /** `vendor/model`, `vendor/*` or `*` -> of a card. */
  readonly gpu: ReadonlyMap<string, bigint>;
  /** Of one each. */
  readonly endpoint: bigint;
  readonly ip: bigint;
}

const Mi = 2n ** 20n;

/** Prices by a scale. */
export function scalePricing(scale: PriceScale, digits: number): Pricing {
  return { quote: async ({ order, plan }) => quoteByScale(scale, order, plan, digits) };
}

/** Exact: parts are added up before anything is rounded, and then it is rounded up. Throws for nothing that an order within its limits holds. */
export function quoteByScale(scale: PriceScale, order: MarketOrder, plan: Plan, digits: number): Quoted {
  if (order.maxPrice.denom !== scale.denom) {
    const message = `it pays in ${order.maxPrice.denom.slice(0, 100)}, and prices are in ${scale.denom} of bid-price-denom`;
    return noPrice({ code: 'DenomNotOffered', message });
  }
  // In MiB times 10^-18, so that bytes need no rounding.
  const parts = new Map<string, bigint>();
  const add = (resource: string, amount: bigint): void => void parts.set(resource, (parts.get(resource) ?? 0n) + amount);
  const reasons: Reason[] = [];
  for (const unit of order.request.units) {
    const count = BigInt(unit.count);
    add('cpu', count * BigInt(unit.cpuMillis) * scale.cpu * Mi);
    add('memory', count * BigInt(unit.memoryBytes) * scale.memory);
    for (const volume of unit.volumes) add(`storage/${classOf(volume)}`, count * BigInt(volume.bytes) * storagePrice(scale, volume));
    add('endpoints', BigInt(endpointsOf(order, unit)) * scale.endpoint * Mi);
    const cards = BigInt(unit.gpus?.count ?? 0);
    for (const groups of cards === 0n ? [] : cardsOfReplicas(plan, unit.id)) {
      const dearest = dearestOf(scale, groups);
      if (dearest === undefined) {
        const names = groups.map(({ vendor, model }) => `${vendor}/${model}`).join(', ');
        reasons.push({ code: 'NoGpuPrice', message: `unit ${unit.id} would get ${names}: bid-price-gpu-scale has no price for it` });
        break;
      }
      add(`gpu/${dearest.name}`, cards * dearest.price * Mi);
    }
  }
  add('leased-ips', BigInt(leasedIpsOf(order.request)) * scale.ip * Mi);
  if (reasons.length > 0) return noPrice(...reasons);
  const total = [...parts.values()].reduce((sum, part) => sum + part, 0n);
  const told = [...parts].filter(([, part]) => part > 0n).map(([name, part]) => [name, formatDecimal(divideUp(part, Mi))] as const);
  return checkedQuote(order, divideUp(total, Mi), digits, new Map(told));
}

const classOf = (volume: Volume): string => (volume.kind === 'persistent' ? volume.class : volume.kind);

const storagePrice = ({ storage }: PriceScale, volume: Volume): bigint => storage.get(classOf(volume)) ?? storage.get('default') ?? 0n;

/** Where nobody can say which of several a replica gets, the dearest counts. Undefined where one of them has no price. */
function dearestOf({ gpu }: PriceScale, groups: readonly CardGroup[]): { readonly name: string; readonly price: bigint } | undefined {
  let dearest: { readonly name: string; readonly price: bigint } | undefined;
  for (const { vendor, model } of groups) {
    const name = `${vendor}/${model}`;
    const price = gpu.get(name) ?? gpu.get(`${vendor}/*`) ?? gpu.get('*');
    if (price === undefined) return undefined;
    if (dearest === undefined || price > dearest.price) dearest = { name, price };
  }
  return dearest;
}
