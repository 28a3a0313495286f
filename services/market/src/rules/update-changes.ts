import { type ManifestChanges, type ManifestGroup, manifestChanges } from '@quartermaster/api/lease-manifest';

/** What becomes of all leases of a deployment together. Groups that only one of them has are told by `groupChanges`. */
export function updateChanges(before: readonly ManifestGroup[], after: readonly ManifestGroup[]): ManifestChanges {
  const each = after.flatMap((group) => {
    const old = before.find(({ name }) => name === group.name);
    return old === undefined ? [] : [manifestChanges(old, group)];
  });
  // A service may be in several groups.
  const once = (names: readonly string[]): string[] => [...new Set(names)];
  return {
    changes: each.flatMap(({ changes }) => changes),
    restarted: once(each.flatMap(({ restarted }) => restarted)),
    lostVolumes: once(each.flatMap(({ lostVolumes }) => lostVolumes)),
  };
}

/** In one request, and with a deployment. */
export const maxConfirmed = 100;

/**
 * The confirmations that count with a new manifest: those given with it, and the earlier ones, since a provider may not have deployed what they were given with. A volume that comes
 * again is lost again only by another confirmation. Where `stored` is not known, nor is what an earlier one was about. Of what is too many the oldest of the earlier ones go, and none
 * of those given now, which are at most `maxConfirmed`.
 */
export function confirmedAfter(
  before: readonly string[],
  confirm: readonly string[],
  stored: readonly ManifestGroup[] | undefined,
  after: readonly ManifestGroup[],
): string[] {
  const was = persistentOf(stored ?? []);
  const is = persistentOf(after);
  const kept = stored === undefined ? [] : before.filter((each) => was.has(each) || !is.has(each));
  return [...new Set([...kept.filter((each) => !confirm.includes(each)), ...confirm])].slice(-maxConfirmed);
}

/** `service/volume` of each. */
const persistentOf = (groups: readonly ManifestGroup[]): ReadonlySet<string> =>
  new Set(
    groups.flatMap(({ services }) =>
      services.flatMap(({ name, resources }) =>
        resources.volumes.filter(({ kind }) => kind === 'persistent').map((volume) => `${name}/${volume.name}`),
      ),
    ),
  );
