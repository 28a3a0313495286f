import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type Attribute,
  Endpoint_Kind,
  type GroupSpec,
  type ResourceUnit,
  type ResourceValue,
  type Storage,
} from '@quartermaster/api/akash-provider';
import { ResourceRequestSchema, type UnitSchema, VolumeKind, type VolumeSchema } from '@quartermaster/api/cluster';
import { namePatterns } from '@quartermaster/api/lease-manifest';
import { wantOf } from '../../manifest/cross-validate.ts';
import type { MarketOrder } from '../../market/market.ts';
import { readRequest } from '../../market/market-message.ts';
import { formatDecimal } from '../../model/decimal.ts';
import type { Reason } from '../../placement/stock-facts.ts';

/** The order that the group of a deployment would be, of an owner whom nobody knows. What breaks a rule is told in `malformed`. */
export function orderOfGroup({ requirements, resources }: GroupSpec): MarketOrder {
  const [request, malformed = []] = readRequest(create(ResourceRequestSchema, { units: resources.map(unitMessage) }));
  const wrong = [...malformed, ...cardReasons(resources), ...priceReasons(resources)];
  return {
    order: { owner: '', dseq: 0n, gseq: 0, oseq: 0 },
    request,
    requirements: {
      attributes: new Map(requirements?.attributes.map(({ key, value }) => [key, value])),
      signedByAllOf: requirements?.signedBy?.allOf ?? [],
      signedByAnyOf: requirements?.signedBy?.anyOf ?? [],
    },
    maxPrice: {
      denom: resources[0]?.price?.denom ?? '',
      amount: formatDecimal(resources.reduce((sum, unit) => sum + priceOf(unit) * BigInt(unit.count), 0n)),
    },
    httpEndpoints: new Map(resources.map((unit) => [unit.resource?.id ?? 0, endpointsOf(unit, Endpoint_Kind.SHARED_HTTP).length])),
    ...(wrong.length > 0 && { malformed: wrong }),
    createdAt: 0,
  };
}

function unitMessage(unit: ResourceUnit): MessageInitShape<typeof UnitSchema> {
  const { id = 0, cpu, memory, gpu, storage = [] } = unit.resource ?? {};
  return {
    ...{ id, count: unit.count },
    cpuMillis: BigInt(amountOf(cpu?.units)),
    memoryBytes: BigInt(amountOf(memory?.quantity)),
    ...(gpu?.units !== undefined && { gpus: { count: amountOf(gpu.units), wants: wantedCards(unit).flatMap(wantMessage) } }),
    volumes: storage.map(volumeMessage),
    randomPorts: endpointsOf(unit, Endpoint_Kind.RANDOM_PORT).length,
    // Groups know endpoints by numbers alone.
    leasedIps: [...new Set(endpointsOf(unit, Endpoint_Kind.LEASED_IP).map(({ sequenceNumber }) => `${sequenceNumber}`))],
  };
}

const endpointsOf = ({ resource }: ResourceUnit, kind: Endpoint_Kind) =>
  resource?.endpoints.filter((endpoint) => endpoint.kind === kind) ?? [];

/** What is no amount is less than any rule allows. */
function amountOf(value: ResourceValue | undefined): number {
  const text = new TextDecoder().decode(value?.val);
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
}

/** Others are cards that will not do. */
const wantedCards = ({ resource }: ResourceUnit): readonly Attribute[] =>
  resource?.gpu?.attributes.filter(({ value }) => value === 'true') ?? [];

function wantMessage({ key }: Attribute) {
  if (!namePatterns.gpu.test(key)) return [];
  const { vendor, model, memoryBytes, interface: form } = wantOf(key);
  return [
    {
      vendor,
      model,
      ...(memoryBytes !== undefined && { memoryBytes: BigInt(memoryBytes) }),
      ...(form !== undefined && { interface: form }),
    },
  ];
}

function volumeMessage({ name, quantity, attributes }: Storage): MessageInitShape<typeof VolumeSchema> {
  const valueOf = (key: string): string | undefined => attributes.find((attribute) => attribute.key === key)?.value;
  const storageClass = valueOf('class');
  const volume = { name, bytes: BigInt(amountOf(quantity)) };
  if (valueOf('persistent') === 'true') return { ...volume, kind: VolumeKind.PERSISTENT, storageClass: storageClass ?? 'default' };
  return { ...volume, kind: storageClass === 'ram' ? VolumeKind.RAM : VolumeKind.EPHEMERAL };
}

const malformed = (message: string): Reason => ({ code: 'OrderMalformed', message });

const cardReasons = (units: readonly ResourceUnit[]): readonly Reason[] =>
  units.flatMap(wantedCards).every(({ key }) => namePatterns.gpu.test(key))
    ? []
    : [malformed('attributes of gpu must name cards, as vendor/nvidia/model/a100/ram/80Gi/interface/sxm does')];

const priceReasons = (units: readonly ResourceUnit[]): readonly Reason[] =>
  new Set(units.map(({ price }) => price?.denom)).size <= 1 ? [] : [malformed('prices of its units must be in one denom')];

/** Of one replica, as so many 10^-18. */
const priceOf = ({ price }: ResourceUnit): bigint => (/^[0-9]{1,60}$/.test(price?.amount ?? '') ? BigInt(price?.amount ?? '') : 0n);
