import { z } from 'zod';

/** The engines that Longhorn has; a setting may have a value for each. */
export type DataEngine = 'v1' | 'v2';

const byEngine = z.partialRecord(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** The settings that decide what can be scheduled, for one engine. */
export interface SchedulingSettings {
  readonly overProvisioningPercent: number;
  readonly minimalAvailablePercent: number;
  readonly defaultReplicas: number;
  /** Whether two replicas of a volume may share a disk, a node, or a zone, when there is no other. */
  readonly mayShareDisk: boolean;
  readonly mayShareNode: boolean;
  readonly mayShareZone: boolean;
}

/** name -> value, as the objects have them. Longhorn's own defaults stand in for what is not there. */
export function schedulingSettings(values: ReadonlyMap<string, string>, engine: DataEngine): SchedulingSettings {
  const number = (name: string, otherwise: number): number => {
    const parsed = Number(valueFor(values.get(name), engine) || Number.NaN);
    return Number.isFinite(parsed) && parsed >= 0 ? parsed : otherwise;
  };
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = valueFor(values.get(name), engine);
    return value === '' ? otherwise : value === 'true';
  };
  return {
    overProvisioningPercent: number('storage-over-provisioning-percentage', 100),
    minimalAvailablePercent: number('storage-minimal-available-percentage', 25),
    defaultReplicas: number('default-replica-count', 3),
    mayShareDisk: flag('replica-disk-soft-anti-affinity', true),
    mayShareNode: flag('replica-soft-anti-affinity', false),
    mayShareZone: flag('replica-zone-soft-anti-affinity', true),
  };
}

/** Newer versions write `{"v1":"100","v2":"100"}` where older ones write `100`. */
function valueFor(value: string | undefined, engine: DataEngine): string {
  const text = value?.trim() ?? '';
  if (!text.startsWith('{')) return text;
  try {
    return String(byEngine.parse(JSON.parse(text))[engine] ?? '');
  } catch {
    return '';
  }
}
