/** What deployments, orders, bids and leases say, of their JSON by the names of the contract. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { type Money, moneyText, monthText, priceWords, sumPrices } from '@quartermaster/api/states';
import { quantityText, unknownText } from '../../inventory/amount-text.ts';
import { namedResource } from '../../reservations/resource-text.ts';
import { isJsonObject, listAt, textAt, valueAt } from '../../text/json-path.ts';
import { listText, table } from '../../text/table.ts';
import { ago } from '../../text/time-text.ts';

/** The price at a path. There is none in a bid that was withdrawn before it was made. */
export function pricesAt(object: JsonObject, path: string): readonly Money[] {
  const price = valueAt(object, path);
  return isJsonObject(price) ? [{ denom: textAt(price, 'denom'), amount: textAt(price, 'amount') }] : [];
}

export const blockCell = (prices: readonly Money[]): string => listText(prices.map(moneyText));
export const monthCell = (prices: readonly Money[]): string => listText(prices.map((price) => monthText(price) ?? unknownText));

/** `25 uakt per block, 10.9575 AKT per month`. */
export const pricesText = (prices: readonly Money[]): string => listText(prices.map(priceWords), '; ');

export const groupsOf = (deployment: JsonObject): readonly JsonObject[] => listAt(deployment, 'status.groups').filter(isJsonObject);

/** The most that all groups cost together, for each denom. */
export const mostOf = (groups: readonly JsonObject[]): readonly Money[] =>
  sumPrices(groups.flatMap((group) => pricesAt(group, 'spec.max_price')));

/** What a deployment orders: a line for each group. */
export function groupsTable(groups: readonly JsonObject[], dseq?: string): string {
  const header = ['GROUP', ...(dseq === undefined ? [] : ['ORDER']), 'SERVICES', 'RESOURCES', 'AT MOST PER BLOCK', 'AT MOST PER MONTH'];
  const rows = groups.map((group) => {
    const most = pricesAt(group, 'spec.max_price');
    const order = dseq === undefined ? [] : [`${dseq}-${textAt(group, 'gseq')}-${textAt(group, 'oseq')}`];
    const spec = objectAt(group, 'spec');
    return [textAt(group, 'name'), ...order, servicesText(spec), resourcesText(spec), blockCell(most), monthCell(most)];
  });
  return table(header, rows);
}

/** `web × 2 (nginx:1.29)`. */
export const servicesText = (spec: JsonObject): string =>
  listText(
    listAt(spec, 'services')
      .filter(isJsonObject)
      .map((service) => `${textAt(service, 'name')} × ${textAt(service, 'count') || '0'} (${textAt(service, 'image')})`),
  );

/** What all replicas of a group have together: `CPU 2, memory 8 GiB, 1 × nvidia t4, ephemeral storage 20 GiB`. */
export function resourcesText(spec: JsonObject): string {
  const amounts = new Map<string, bigint>(); // name of the contract -> amount
  const cards = new Map<string, bigint>(); // models that will do -> how many
  for (const unit of listAt(spec, 'resources.units').filter(isJsonObject)) {
    const count = wholeAt(unit, 'count');
    const add = (to: Map<string, bigint>, name: string, each: bigint): void => {
      if (each > 0n) to.set(name, (to.get(name) ?? 0n) + each * count);
    };
    add(amounts, 'cpu', wholeAt(unit, 'cpu_millis'));
    add(amounts, 'memory', wholeAt(unit, 'memory_bytes'));
    add(cards, modelsText(listAt(unit, 'gpus.wants')), wholeAt(unit, 'gpus.count'));
    for (const volume of listAt(unit, 'volumes').filter(isJsonObject)) add(amounts, volumeName(volume), wholeAt(volume, 'bytes'));
    add(amounts, 'ports', wholeAt(unit, 'random_ports'));
  }
  const text = (name: string, amount: bigint): string => {
    const { label, unit } = namedResource(name);
    return `${label} ${quantityText(amount, unit, { exact: false })}`;
  };
  const ips = new Set(listAt(spec, 'resources.units').flatMap((unit) => (isJsonObject(unit) ? listAt(unit, 'leased_ips') : []))).size;
  return listText([
    ...[...amounts].map(([name, amount]) => text(name, amount)),
    ...[...cards].map(([models, amount]) => `${amount} × ${models}`),
    ...(ips === 0 ? [] : [text('leased-ips', BigInt(ips))]),
  ]);
}

/** `nvidia t4 or nvidia a100`; what is not said may be any. */
export const modelsText = (wants: readonly JsonValue[]): string =>
  wants
    .filter(isJsonObject)
    .map((want) => ['vendor', 'model', 'interface'].flatMap((field) => textAt(want, field) || []).join(' ') || 'any GPU')
    .join(' or ') || 'any GPU';

/** Memory that looks like a disk counts as memory. */
function volumeName(volume: JsonObject): string {
  const kind = textAt(volume, 'kind');
  if (kind === 'VOLUME_KIND_PERSISTENT') return `storage/${textAt(volume, 'storage_class')}`;
  return kind === 'VOLUME_KIND_RAM' ? 'memory' : 'ephemeral-storage';
}

/** `in 59m`, `due`; `-` for what does not expire. */
export function expiryCell(stamp: string, now: number): string {
  if (stamp === '') return '-';
  const leftMs = Date.parse(stamp) - now;
  return leftMs <= 0 ? 'due' : `in ${ago(leftMs)}`;
}

/** `akash1ann/7/1/1`, as commands of the provider take it. */
export const orderAt = (object: JsonObject): string =>
  ['owner', 'dseq', 'gseq', 'oseq'].map((field) => textAt(object, `spec.order.${field}`)).join('/');

export function objectAt(object: JsonObject, path: string): JsonObject {
  const value = valueAt(object, path);
  return isJsonObject(value) ? value : {};
}

const wholeAt = (object: JsonObject, path: string): bigint => BigInt(textAt(object, path) || '0');
