import type { FuseLimits, FuseLook, FuseState, Removable, SeenRemovable } from './removal-fuse.ts';

/*
 * The groups of which what is due waits by itself, so that they do not hold up the others.
 */

/** So many may. More of them at once are rather a mistake of whoever says what is due. */
const maxHeldGroups = 3;

/** As many of them as there is room for in the window, first of who has few: what was approved, and what was counted already, takes none. */
export function withinWindow(
  due: readonly SeenRemovable[],
  { removals, approval }: FuseState,
  now: number,
  limits: FuseLimits,
): readonly SeenRemovable[] {
  const recent = removals.filter(({ at }) => now - at < limits.windowMs);
  const isFree = new Set([...uidsOf(approval?.objects ?? []), ...recent.flatMap(({ uids }) => uids)]);
  const room = Math.max(limits.maxRemovals - recent.reduce((sum, { count }) => sum + count, 0), 0);
  const [free, others] = [due.filter(({ uid }) => isFree.has(uid)), due.filter(({ uid }) => !isFree.has(uid))];
  const sizes = Map.groupBy(others, ({ group }) => group);
  const sizeOf = ({ group }: SeenRemovable): number => sizes.get(group)?.length ?? 0;
  return [...free, ...others.toSorted((a, b) => sizeOf(a) - sizeOf(b)).slice(0, room)];
}

/** What waits by itself, of all that is wanted: the groups that wait already, and the largest of the others until what is left is few. Undefined where that says nothing of them. */
export function heldGroups(
  { waiting, approval }: FuseState,
  { due, pending, total, groups: all = 0 }: FuseLook,
  limits: FuseLimits,
): { readonly uids: ReadonlySet<string>; readonly wanted: number } | undefined {
  if (limits.untilApproved !== true) return undefined;
  const isWaiting = uidsOf(waiting?.objects ?? []);
  const isApproved = uidsOf(approval?.objects ?? []);
  const seen = [...due.filter(({ uid }) => !isApproved.has(uid)), ...pending.filter(({ uid }) => isWaiting.has(uid))];
  const groups = [...Map.groupBy(seen, ({ group = '' }) => group)].map(([group, objects]) => ({ group, objects }));
  const allowed = Math.max(limits.maxRemovals, Math.floor(total * limits.maxShare));
  const isHeld = (objects: readonly Removable[]): boolean => waiting?.isTooMany === true && objects.some(({ uid }) => isWaiting.has(uid));
  const held = new Set(groups.filter(({ objects }) => isHeld(objects)).map(({ group }) => group));
  const bySize = groups.filter(({ group }) => !held.has(group)).toSorted((a, b) => b.objects.length - a.objects.length);
  const others = bySize.reduce((sum, { objects }) => sum + objects.length, 0);
  let left = others;
  for (const { group, objects } of bySize) {
    if (left <= allowed) break;
    held.add(group);
    left -= objects.length;
  }
  const isFew = held.size > 0 && held.size <= maxHeldGroups && !held.has('');
  // What is left would go: of too many, it is the least part.
  const isLeast = left === others || 2 * left < others;
  if (!isFew || !isLeast || held.size === groups.length || 2 * groups.length > all) return undefined;
  return { uids: uidsOf([...due, ...pending].filter(({ group = '' }) => held.has(group))), wanted: seen.length };
}

export const uidsOf = (objects: readonly Removable[]): ReadonlySet<string> => new Set(objects.map(({ uid }) => uid));
