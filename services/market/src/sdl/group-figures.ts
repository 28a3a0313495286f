import type { GenerateManifestResult } from '@akashnetwork/chain-sdk';
import { bytes } from '@quartermaster/kernel';

export type Manifest = Extract<GenerateManifestResult, { ok: true }>['value'];
type GroupSpec = Manifest['groupSpecs'][number];
type ResourceUnit = GroupSpec['resources'][number];

/** A group as the library has it, in numbers. They are not checked: one that the library did not make of whole digits is NaN. */
export interface GroupFigures {
  readonly name: string;
  readonly units: readonly UnitFigures[];
  readonly services: readonly ServiceFigures[];
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
  readonly signedByAllOf: readonly string[];
  readonly signedByAnyOf: readonly string[];
}

export interface UnitFigures {
  readonly id: number;
  readonly count: number;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly wants: readonly WantFigures[];
  readonly volumes: readonly VolumeFigures[];
  readonly httpEndpoints: number;
  readonly randomPorts: number;
  /** Names of endpoints. */
  readonly leasedIps: readonly string[];
  readonly price: { readonly denom: string; readonly amount: string };
}

export interface WantFigures {
  readonly vendor: string;
  readonly model: string;
  readonly memoryBytes?: number | undefined;
  readonly interface?: string | undefined;
}

export interface VolumeFigures {
  readonly name: string;
  readonly bytes: number;
  readonly kind: 'ephemeral' | 'ram' | 'persistent';
  /** Of a persistent one. */
  readonly storageClass: string;
}

export interface ServiceFigures {
  readonly name: string;
  readonly unit: number;
  readonly count: number;
  readonly image: string;
}

/** Of akash.base.resources.v1beta4.Endpoint. */
const endpointKind = { sharedHttp: 0, randomPort: 1, leasedIp: 2 } as const;

/** The groups of a manifest, in its order. */
export function figuresOf({ groups, groupSpecs }: Manifest): GroupFigures[] {
  const exposes = groups.flatMap(({ services }) => services).flatMap(({ expose }) => expose);
  // Group specs know endpoints by numbers alone.
  const endpoints = new Map(exposes.filter(({ ip }) => ip !== '').map(({ ip, endpointSequenceNumber }) => [endpointSequenceNumber, ip])); // number -> name
  return groupSpecs.map((spec, at) => ({
    name: spec.name,
    units: spec.resources.map((unit) => unitOf(unit, endpoints)),
    services: (groups[at]?.services ?? []).map(({ name, resources, count, image }) => ({ name, unit: resources?.id ?? 0, count, image })),
    attributes: spec.requirements?.attributes ?? [],
    signedByAllOf: spec.requirements?.signedBy?.allOf ?? [],
    signedByAnyOf: spec.requirements?.signedBy?.anyOf ?? [],
  }));
}

function unitOf({ resource, count, price }: ResourceUnit, names: ReadonlyMap<number, string>): UnitFigures {
  if (resource === undefined) throw new TypeError('a unit without resources');
  const { id, cpu, memory, gpu, storage, endpoints } = resource;
  const ofKind = (kind: number) => endpoints.filter(({ kind: its }: { readonly kind: number }) => its === kind);
  return {
    id,
    count,
    cpuMillis: numberOf(cpu?.units?.val),
    memoryBytes: numberOf(memory?.quantity?.val),
    gpus: numberOf(gpu?.units?.val),
    wants: (gpu?.attributes ?? []).map(({ key }) => wantOf(key)),
    volumes: storage.map(({ name, quantity, attributes }) => volumeOf(name, numberOf(quantity?.val), attributes)),
    httpEndpoints: ofKind(endpointKind.sharedHttp).length,
    randomPorts: ofKind(endpointKind.randomPort).length,
    leasedIps: [...new Set(ofKind(endpointKind.leasedIp).map(({ sequenceNumber }) => names.get(sequenceNumber) ?? `${sequenceNumber}`))],
    price: { denom: price?.denom ?? '', amount: price?.amount ?? '' },
  };
}

const decoder = new TextDecoder();

/** The library writes amounts as decimal digits; fractions and what is too large for them come out otherwise. */
function numberOf(value: Uint8Array | undefined): number {
  const text = value === undefined ? '' : decoder.decode(value);
  return /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
}

/** Of `vendor/nvidia/model/a100/ram/80Gi/interface/sxm`, the last two pairs of which may be missing. */
function wantOf(key: string): WantFigures {
  const parts = key.split('/');
  const after = (name: string): string | undefined => {
    const at = parts.findIndex((part, index) => index % 2 === 0 && part === name);
    return at === -1 ? undefined : parts[at + 1];
  };
  const ram = after('ram');
  return {
    vendor: after('vendor') ?? '',
    model: after('model') ?? '',
    memoryBytes: ram === undefined ? undefined : bytes(ram),
    interface: after('interface'),
  };
}

function volumeOf(name: string, size: number, attributes: readonly { readonly key: string; readonly value: string }[]): VolumeFigures {
  const valueOf = (key: string): string | undefined => attributes.find((attribute) => attribute.key === key)?.value;
  const named = valueOf('class');
  if (valueOf('persistent') === 'true') return { name, bytes: size, kind: 'persistent', storageClass: named ?? 'default' };
  return { name, bytes: size, kind: named === 'ram' ? 'ram' : 'ephemeral', storageClass: '' };
}
