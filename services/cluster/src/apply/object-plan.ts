import type { DesiredObject } from '../objects/desired.ts';
import { isUpToDate, type LiveObject } from './live-object.ts';

/** What brings the objects of a lease to what they should be, in the order in which it is done. */
export interface ObjectPlan {
  /** One wave after another: what pods refer to is there before they are. */
  readonly apply: readonly (readonly ObjectChange[])[];
  /** In one wave after another, after everything was applied: what serves somebody else last. */
  readonly remove: readonly (readonly LiveObject[])[];
}

export interface ObjectChange {
  readonly desired: DesiredObject;
  /** Undefined where there is none. */
  readonly live: LiveObject | undefined;
  /** What may not change of it does: it is deleted, and made again once it is gone. */
  readonly mustRecreate: boolean;
}

/** Kind -> the wave of its objects. Those that are not named come first. */
const waves: Readonly<Record<string, number>> = { Service: 1, Deployment: 2, StatefulSet: 2 };
const lastWave = 2;

/** Pure. `live` is all that there is in the namespace of the lease of the kinds that leases have; what we never applied is not ours to remove. */
export function objectPlan(desired: readonly DesiredObject[], live: readonly LiveObject[], salt: string): ObjectPlan {
  const byKey = new Map(live.map((each) => [objectKey(each.type.kind, each.name), each])); // kind and name -> object
  const wanted = new Set(desired.map(({ type, object }) => objectKey(type.kind, object.metadata?.name ?? '')));
  const changes = desired.flatMap((each): ObjectChange[] => {
    const found = byKey.get(objectKey(each.type.kind, each.object.metadata?.name ?? ''));
    if (found !== undefined && isUpToDate(each, found, salt)) return [];
    return [{ desired: each, live: found, mustRecreate: found !== undefined && isFixedChanged(each, found) }];
  });
  const surplus = live.filter((each) => each.applied !== '' && !wanted.has(objectKey(each.type.kind, each.name)));
  return {
    apply: byWave(changes, ({ desired: { type } }) => waveOf(type.kind)),
    remove: byWave(surplus, ({ type }) => lastWave - waveOf(type.kind)),
  };
}

export const isDone = ({ apply, remove }: ObjectPlan): boolean => apply.length === 0 && remove.length === 0;

/** Of objects in one namespace. */
export const objectKey = (kind: string, name: string): string => `${kind}/${name}`;
const waveOf = (kind: string): number => waves[kind] ?? 0;

function byWave<T>(all: readonly T[], of: (one: T) => number): readonly (readonly T[])[] {
  return [...Map.groupBy(all, of)].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}

/** Of a StatefulSet the server refuses to change its claims and its selector; of any workload its selector; of a binding its role. */
function isFixedChanged({ type, object }: DesiredObject, live: LiveObject): boolean {
  const fixed = fixedFields[type.kind];
  if (fixed === undefined) return false;
  const before = JSON.parse(live.text) as Parameters<typeof fixed>[0];
  return fixed(object as Parameters<typeof fixed>[0]) !== fixed(before);
}

interface Fixed {
  readonly roleRef?: { readonly name?: string };
  readonly spec?: {
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly volumeClaimTemplates?: readonly {
      readonly metadata?: { readonly name?: string };
      readonly spec?: {
        readonly storageClassName?: string;
        readonly resources?: { readonly requests?: { readonly storage?: string } };
      };
    }[];
  };
}

const selectorText = ({ spec }: Fixed): string =>
  JSON.stringify(Object.entries(spec?.selector?.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));

const fixedFields: Readonly<Record<string, (object: Fixed) => string>> = {
  Deployment: selectorText,
  StatefulSet: (object) => {
    const claims = (object.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => [
      metadata?.name,
      spec?.storageClassName,
      spec?.resources?.requests?.storage,
    ]);
    return JSON.stringify([selectorText(object), object.spec?.serviceName, object.spec?.podManagementPolicy, claims]);
  },
  RoleBinding: ({ roleRef }) => roleRef?.name ?? '',
};
