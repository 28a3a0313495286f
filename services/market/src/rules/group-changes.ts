import { clone, create, equals } from '@bufbuild/protobuf';
import { type Group, GroupSchema, type GroupSpec, GroupSpecSchema } from '@quartermaster/api/market';

/** What was ordered, by its names in messages: it stays as long as the deployment. */
const ordered = {
  resources: 'resources, counts or ports',
  requirements: 'requirements of the provider',
  maxPrice: 'prices',
  unitPrices: 'prices',
  httpEndpoints: 'endpoints',
} as const satisfies Partial<Record<keyof GroupSpec, string>>;

/** How new groups differ from those that were ordered, each difference as a sentence. */
export function groupChanges(before: readonly Group[], after: readonly Group[]): string[] {
  const names = (groups: readonly Group[]): string => groups.map(({ name }) => name).join(', ');
  if (names(before) !== names(after)) return [`its groups were ${names(before)}, and would be ${names(after)}`];
  return before.flatMap(({ name, spec }, index) =>
    changedParts(spec, after[index]?.spec).map((part) => `group "${name}" would have other ${part}`),
  );
}

function changedParts(before: GroupSpec | undefined, after: GroupSpec | undefined): string[] {
  const parts = (Object.keys(ordered) as (keyof typeof ordered)[]).filter((part) => !isSame(part, before, after));
  return [...new Set(parts.map((part) => ordered[part]))];
}

function isSame(part: keyof typeof ordered, before: GroupSpec | undefined, after: GroupSpec | undefined): boolean {
  const only = (spec: GroupSpec | undefined): GroupSpec => create(GroupSpecSchema, { [part]: spec?.[part] });
  return equals(GroupSpecSchema, only(before), only(after));
}

/** The new groups, with the orders that the old ones have. */
export function withOrders(before: readonly Group[], after: readonly Group[]): Group[] {
  return after.map((group, index) => {
    const { oseq = 0, closedReason = '' } = before[index] ?? {};
    return Object.assign(clone(GroupSchema, group), { oseq, closedReason });
  });
}
