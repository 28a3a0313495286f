import type { PromisedVolumes } from '../querier/volume-ledger.ts';

/** What is known of a class at one time. */
export interface CapacityLook {
  /** The class, and those that draw on the same space. */
  readonly classes: ReadonlySet<string>;
  /** All that the driver has made for them. */
  readonly groups: Iterable<MadeGroup>;
  /** Object -> bytes that are left, as it says. */
  readonly published: ReadonlyMap<string, number>;
  /** The objects that may speak of the space in which volumes of a node lie. */
  readonly speakingOf: (node: string) => ReadonlySet<string>;
  readonly madeSince: PromisedVolumes['madeSince'];
  readonly now: number;
}

interface MadeGroup {
  readonly key: string;
  readonly class: string;
  readonly place: string;
  /** Empty for volumes that lie on no one node. */
  readonly node: string;
  readonly bytes: number;
}

/** Bytes for which the driver has made volumes since the last look. */
interface Made {
  readonly group: string;
  readonly bytes: number;
  readonly at: number;
  /** Object -> how many of them it still counts as left; all, where it is not named. */
  readonly lacking: Map<string, number>;
}

interface Seen {
  readonly classes: ReadonlySet<string>;
  readonly bytes: ReadonlyMap<string, number>; // group -> bytes
  readonly published: ReadonlyMap<string, number>;
  /** Those that were made first come first. */
  readonly made: readonly Made[];
}

/** Drivers are asked for capacities once a minute. What they say after some such times is theirs, even if it is the same: not every driver counts what it promised. */
const patienceMs = 180_000;

/**
 * Knows which volumes may still be in what their driver publishes as left. It publishes a while after it has made a volume: until then the bytes are nobody's, and
 * would be sold again. That a figure is another one does not tell that they are in it: it may be older than they are, and say that something else was made or deleted.
 * So each byte by which it falls is that of one byte made. Of those that were there when a class was first looked at, the ones that are older than that while are
 * taken as published. Each class is told by objects of its own, whichever class of the space the volumes are of.
 */
export class UnpublishedVolumes {
  readonly #classes = new Map<string, Seen>();

  /** Answers group -> bytes that are not yet in what is published. */
  see(className: string, { classes, groups, published, speakingOf, madeSince, now }: CapacityLook): ReadonlyMap<string, number> {
    const before = this.#classes.get(className);
    const current = new Map(Array.from(groups, (group) => [group.key, group]));
    const objectsOf = ({ group }: Made): ReadonlySet<string> => speakingOf(current.get(group)?.node ?? '');
    const waiting = (before?.made ?? []).filter(({ group, at }) => now - at < patienceMs && current.has(group));
    for (const [object, freeBytes] of published) {
      const fallenBytes = (before?.published.get(object) ?? freeBytes) - freeBytes;
      if (fallenBytes <= 0) continue;
      const spokenOf = waiting.filter((each) => objectsOf(each).has(object));
      publish(spokenOf, object, fallenBytes);
    }
    const made = waiting.filter((each) => lackingBytes(each, objectsOf(each)) > 0);
    const unknown = [...classes].filter((each) => before?.classes.has(each) !== true);
    const young = new Map(unknown.map((each) => [each, madeSince(each, now - patienceMs)]));
    for (const { key, class: ofClass, place, bytes } of current.values()) {
      const news = young.get(ofClass);
      const known = news === undefined ? (before?.bytes.get(key) ?? 0) : bytes - Math.min(news.get(place) ?? 0, bytes);
      if (bytes > known) made.push({ group: key, bytes: bytes - known, at: now, lacking: new Map() });
    }
    const seenBytes = new Map(Array.from(current, ([key, { bytes }]) => [key, bytes]));
    this.#classes.set(className, { classes, bytes: seenBytes, published, made });
    const unpublished = new Map<string, number>();
    for (const each of made) {
      const sum = (unpublished.get(each.group) ?? 0) + lackingBytes(each, objectsOf(each));
      unpublished.set(each.group, Math.min(sum, current.get(each.group)?.bytes ?? 0));
    }
    return unpublished;
  }
}

function publish(made: readonly Made[], object: string, fallenBytes: number): void {
  let left = fallenBytes;
  for (const { bytes, lacking } of made) {
    const before = lacking.get(object) ?? bytes;
    const after = Math.max(before - left, 0);
    lacking.set(object, after);
    left -= before - after;
  }
}

/** As many as any object lacks; all while none speaks of them. */
function lackingBytes({ bytes, lacking }: Made, objects: ReadonlySet<string>): number {
  if (objects.size === 0) return bytes;
  let most = 0;
  for (const object of objects) most = Math.max(most, lacking.get(object) ?? bytes);
  return most;
}
