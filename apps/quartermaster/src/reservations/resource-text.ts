import type { Resources } from '@quartermaster/api/cluster';
import { resourceWord } from '@quartermaster/api/states';
import type { Unit } from '../inventory/amount-text.ts';

/** A resource by its name in the contract: what people call it, and what its numbers count. */
export interface NamedResource {
  readonly label: string;
  readonly unit: Unit;
}

const bytes: ReadonlySet<string> = new Set(['memory', 'ephemeral-storage']);

export function namedResource(name: string): NamedResource {
  const unit = name === 'cpu' ? 'millicores' : bytes.has(name) || name.startsWith('storage/') ? 'bytes' : 'devices';
  return { label: resourceWord(name), unit };
}

/** Every resource that one of them has, in the order in which tables show them: its name, and the amount of each. */
export function resourceRows(each: readonly (Resources | undefined)[]): readonly ResourceRow[] {
  const mapRows = (prefix: string, of: (resources: Resources) => Readonly<Record<string, bigint>>): readonly ResourceRow[] => {
    const names = new Set(each.flatMap((resources) => (resources === undefined ? [] : Object.keys(of(resources)))));
    return [...names].toSorted().map((name) => ({
      ...namedResource(`${prefix}${name}`),
      amounts: each.map((resources) => (resources === undefined ? undefined : (of(resources)[name] ?? 0n))),
    }));
  };
  const row = (resource: NamedResource, of: (resources: Resources) => bigint): ResourceRow => ({
    ...resource,
    amounts: each.map((resources) => (resources === undefined ? undefined : of(resources))),
  });
  const rows = [
    row(namedResource('cpu'), ({ cpuMillis }) => cpuMillis),
    row(namedResource('memory'), ({ memoryBytes }) => memoryBytes),
    row(namedResource('ephemeral-storage'), ({ ephemeralStorageBytes }) => ephemeralStorageBytes),
    ...mapRows('', ({ gpus }) => gpus),
    ...mapRows('storage/', ({ storage }) => storage),
    row(namedResource('ports'), ({ ports }) => ports),
    row(namedResource('leased-ips'), ({ leasedIps }) => leasedIps),
  ];
  return rows.filter(({ amounts }) => amounts.some((amount) => amount !== undefined && amount !== 0n));
}

export interface ResourceRow extends NamedResource {
  /** Undefined where nobody says. */
  readonly amounts: readonly (bigint | undefined)[];
}
