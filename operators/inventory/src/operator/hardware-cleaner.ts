import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { type Clock, type Log, messageOf, pause } from '@quartermaster/kernel';
import { type CacheEntry, type CacheStatus, type KubeReader, type KubeWriter, kinds } from '@quartermaster/kube';
import { GoneHardware, type HardwareObject } from './gone-hardware.ts';

/** What the cleaner looks at, of a cache. */
export interface LookedAt {
  readonly size: number;
  get(key: string): object | undefined;
  entries(): Iterable<Pick<CacheEntry<unknown>, 'key' | 'uid'>>;
  status(): Pick<CacheStatus, 'state' | 'synced'>;
}

export interface HardwareCleanerOptions {
  readonly nodes: LookedAt;
  readonly hardware: LookedAt;
  /** Asked once more before anything is removed. */
  readonly reader: Pick<KubeReader, 'find'>;
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const slowestLookMs = 60_000;
const looksPerKeep = 4;

/**
 * Removes the hardware facts of nodes that are gone. It needs evidence: the nodes are being followed, there are some, this one has been absent for long
 * enough, and the API server says so once more. Too many at once stay, until a person removes them.
 */
export class HardwareCleaner {
  readonly #options: HardwareCleanerOptions;
  readonly #gone: GoneHardware;
  #held = 0;

  constructor(options: HardwareCleanerOptions) {
    this.#options = options;
    this.#gone = new GoneHardware(options);
  }

  /** What a person has to decide, or undefined. */
  problem(): string | undefined {
    if (this.#held === 0) return undefined;
    return `the hardware facts of ${this.#held} nodes that are gone are kept, because they are so many: kubectl delete nodehardware NAME for those that are not coming back`;
  }

  /** Until the leadership whose writer it is ends. What was seen before does not count. */
  async run(writer: Pick<KubeWriter, 'delete'>, signal: AbortSignal): Promise<void> {
    const { clock, keepMs, log } = this.#options;
    this.#gone.lookFailed();
    while (!signal.aborted) {
      await pause(clock, Math.min(slowestLookMs, keepMs / looksPerKeep), signal);
      if (signal.aborted) break;
      try {
        await this.#look(writer, signal);
      } catch (error) {
        if (!signal.aborted) log.warn('hardware facts of nodes that are gone could not be removed', { error: messageOf(error) });
      }
    }
    this.#held = 0;
  }

  async #look(writer: Pick<KubeWriter, 'delete'>, signal: AbortSignal): Promise<void> {
    const { nodes, hardware, clock, log } = this.#options;
    if (!isFollowed(nodes) || !isFollowed(hardware) || nodes.size === 0) {
      this.#gone.lookFailed();
      return;
    }
    const { remove, held } = this.#gone.look(objectsOf(hardware), (name) => nodes.get(name) !== undefined, clock.monotonic());
    if (held > 0 && this.#held === 0) log.warn('many nodes are gone at once: their hardware facts are kept until a person looks', { held });
    this.#held = held;
    for (const object of remove) await this.#remove(object, writer, signal);
  }

  async #remove(object: HardwareObject, writer: Pick<KubeWriter, 'delete'>, signal: AbortSignal): Promise<void> {
    const { reader, clock, log } = this.#options;
    const { name, uid } = object;
    if ((await reader.find(kinds.nodes, { name }, { signal })) !== undefined) return;
    await writer.delete(nodeHardwareType, { name }, { preconditions: { uid }, signal });
    this.#gone.removed(object, clock.monotonic());
    log.info('hardware facts of a node that is gone were removed', { node: name });
  }
}

function isFollowed(cache: LookedAt): boolean {
  const { state, synced } = cache.status();
  return synced && state === 'watching';
}

function* objectsOf(cache: LookedAt): Generator<HardwareObject> {
  for (const { key, uid } of cache.entries()) yield { name: key, uid };
}
