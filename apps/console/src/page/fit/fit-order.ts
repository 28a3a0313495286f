import type { CardGroupJson, GpuNeedJson, ResourceRequestJson, VolumeJson } from '@quartermaster/api/cluster';
import { bytes, messageOf, millicores } from '@quartermaster/kernel';
import { groupName, wantOf } from '../model/card-names.ts';

/** The fields of the form, as they are typed and as they stand in the address. */
export const fitFields = ['cpu', 'memory', 'gpus', 'model', 'disk', 'class', 'size', 'ports', 'ips', 'replicas'] as const;
export type FitField = (typeof fitFields)[number];
export type FitTexts = Readonly<Record<FitField, string>>;

export interface ReadOrder {
  /** As the cluster service takes it. Undefined while nothing is asked for, or something is wrong. */
  readonly request: ResourceRequestJson | undefined;
  /** Whether it only lacks to be known which cards there are. */
  readonly isWaiting: boolean;
  readonly problems: Readonly<Partial<Record<FitField, string>>>;
  /** What a bare number was taken for. */
  readonly notes: Readonly<Partial<Record<FitField, string>>>;
}

/** Of the one unit that a form asks for. */
const unitId = 1;
/** As many as the service takes: addresses are named one by one. */
const maxIps = 64;

/**
 * Reads an order as somebody types it; amounts are Kubernetes quantities, or as the console prints them. What may be ordered is for the service to say. `groups`: the
 * cards of the cluster, by which models are named; undefined while they are not known.
 */
export function readOrder(texts: FitTexts, groups: readonly CardGroupJson[] | undefined): ReadOrder {
  const problems: Partial<Record<FitField, string>> = {};
  const read = (field: FitField, fallback: number, parse: (text: string) => number): number => {
    const text = texts[field].trim();
    if (text === '') return fallback;
    try {
      const value = parse(text);
      if (value >= 0 && Number.isSafeInteger(value)) return value;
      problems[field] = 'is out of range: enter 0 or more';
    } catch (thrown) {
      problems[field] = messageOf(thrown);
    }
    return fallback;
  };
  const amounts = {
    cpu: read('cpu', 0, millicores),
    memory: read('memory', 0, size),
    gpus: read('gpus', 0, wholeNumber),
    disk: read('disk', 0, size),
    size: texts.class === '' ? 0 : read('size', 0, size),
    ports: read('ports', 0, wholeNumber),
    ips: read('ips', 0, wholeNumber),
    replicas: read('replicas', 1, wholeNumber),
  };
  if (texts.class !== '' && amounts.size === 0 && problems.size === undefined && texts.size !== '') {
    problems.size = 'is 0: enter how much of the class one replica needs, such as 100Gi';
  }
  if (amounts.gpus > 0 && texts.model !== '' && groups?.some((group) => groupName(group) === texts.model) === false) {
    problems.model = `There is no ${texts.model} in the cluster.`;
  }
  if (amounts.ips > maxIps) problems.ips = `is out of range: enter at most ${maxIps}`;
  const isAsked = amounts.cpu + amounts.memory + amounts.gpus + amounts.disk + amounts.size > 0;
  const notes = Object.fromEntries(
    (['memory', 'disk', 'size'] as const)
      .filter((field) => isBare(texts[field]))
      .map((field) => [field, `${texts[field].trim()} bytes: add a unit, such as Gi or TiB`]),
  );
  const isGood = isAsked && amounts.replicas > 0 && Object.keys(problems).length === 0;
  // Without knowing the cards it would be another question.
  const isWaiting = isGood && amounts.gpus > 0 && groups === undefined;
  if (!isGood || isWaiting) return { request: undefined, isWaiting, problems, notes };
  const unit = {
    id: unitId,
    count: amounts.replicas,
    cpuMillis: String(amounts.cpu),
    memoryBytes: String(amounts.memory),
    volumes: [
      ...volume(amounts.disk, { name: 'disk', kind: 'VOLUME_KIND_EPHEMERAL' }),
      ...volume(amounts.size, { name: 'data', kind: 'VOLUME_KIND_PERSISTENT', storageClass: texts.class }),
    ],
    ...(amounts.ports > 0 && { randomPorts: amounts.ports }),
    ...(amounts.ips > 0 && { leasedIps: Array.from({ length: amounts.ips }, (_, at) => `address-${at + 1}`) }),
    ...(amounts.gpus > 0 && { gpus: gpuNeed(amounts.gpus, texts.model, groups ?? []) }),
  };
  return { request: { units: [unit] }, isWaiting, problems, notes };
}

const volume = (amount: number, of: Omit<VolumeJson, 'bytes'>): readonly VolumeJson[] =>
  amount === 0 ? [] : [{ ...of, bytes: String(amount) }];

/** Without a model any card will do, of whichever vendors the cluster has. */
function gpuNeed(count: number, model: string, groups: readonly CardGroupJson[]): GpuNeedJson {
  const chosen = groups.find((group) => groupName(group) === model);
  if (chosen !== undefined) return { count, wants: [wantOf(chosen)] };
  const vendors = [...new Set(groups.map(({ vendor = '' }) => vendor.toLowerCase()))].filter((vendor) => vendor !== '').toSorted();
  return { count, wants: (vendors.length === 0 ? ['nvidia'] : vendors).map((vendor) => ({ vendor, model: '*' })) };
}

/** Where the form shows what the service says against a field of the request. */
export function fieldOf(path: string): FitField | undefined {
  const fields: readonly (readonly [RegExp, FitField])[] = [
    [/\.cpu_?millis$/i, 'cpu'],
    [/\.memory_?bytes$/i, 'memory'],
    [/\.gpus\.wants/, 'model'],
    [/\.gpus/, 'gpus'],
    [/\.random_?ports$/i, 'ports'],
    [/\.leased_?ips/i, 'ips'],
    [/\.count$/, 'replicas'],
    [/\.(storage_?)?class$/i, 'class'],
  ];
  return fields.find(([pattern]) => pattern.test(path))?.[1];
}

/** Bytes as Kubernetes writes them, `64Gi`, or as the console does: `64 GiB`, `1\u202f024 TiB`. */
const size = (text: string): number => bytes(text.replaceAll(/[\s\u202f]/g, '').replace(/^([\d.]+(?:[KMGTPE]i?)?)B$/i, '$1'));

const isBare = (text: string): boolean => /^\s*\d+\s*$/.test(text);

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${JSON.stringify(text)} is not a whole number: enter 1, 2, 8 …`);
  return Number(text);
}
