import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { type Clock, type Log, messageOf, pause } from '@quartermaster/kernel';
import { type CacheEntry, type CacheStatus, type KubeReader, type KubeWriter, kinds } from '@quartermaster/kube';
import type { FuseTerm, Removable, RoleFuse } from '@quartermaster/runtime/host';
import { GoneHardware } from './gone-hardware.ts';

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
  /** Through which everything is removed. */
  readonly fuse: Pick<RoleFuse, 'look' | 'rest'>;
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface CleaningTerm extends FuseTerm {
  readonly writer: FuseTerm['writer'] & Pick<KubeWriter, 'delete'>;
}

const maxLookIntervalMs = 60_000;
const looksPerKeep = 4;

/**
 * Removes the hardware facts of nodes that are gone. It needs evidence: the nodes are being followed, there are some, this one has been absent for long
 * enough, and the API server says so once more. Too many at once stay, until a person approves it.
 */
export class HardwareCleaner {
  readonly #options: HardwareCleanerOptions;
  readonly #gone: GoneHardware;

  constructor(options: HardwareCleanerOptions) {
    this.#options = options;
    this.#gone = new GoneHardware(options.keepMs);
  }

  /** Until the term ends. What was seen before does not count. */
  async run(term: CleaningTerm): Promise<void> {
    const { clock, keepMs, log, fuse } = this.#options;
    const { signal } = term;
    this.#gone.lookFailed();
    while (!signal.aborted) {
      await pause(clock, Math.min(maxLookIntervalMs, keepMs / looksPerKeep), signal);
      if (signal.aborted) break;
      try {
        await this.#look(term);
      } catch (error) {
        if (!signal.aborted) log.warn('hardware facts of nodes that are gone could not be removed', { error: messageOf(error) });
      }
    }
    fuse.rest();
  }

  async #look(term: CleaningTerm): Promise<void> {
    const { nodes, hardware, fuse, clock } = this.#options;
    if (!isFollowed(nodes) || !isFollowed(hardware) || nodes.size === 0) {
      this.#gone.lookFailed();
      return;
    }
    const seen = this.#gone.look(objectsOf(hardware), (name) => nodes.get(name) !== undefined, clock.monotonic());
    await fuse.look(seen, (object) => this.#remove(object, term), term);
  }

  async #remove({ name, uid }: Removable, { writer, signal }: CleaningTerm): Promise<boolean> {
    const { reader, log } = this.#options;
    if ((await reader.find(kinds.nodes, { name }, { signal })) !== undefined) return false;
    await writer.delete(nodeHardwareType, { name }, { preconditions: { uid }, signal });
    log.info('hardware facts of a node that is gone were removed', { node: name });
    return true;
  }
}

function isFollowed(cache: LookedAt): boolean {
  const { state, synced } = cache.status();
  return synced && state === 'watching';
}

function* objectsOf(cache: LookedAt): Generator<Removable> {
  for (const { key, uid } of cache.entries()) yield { name: key, uid };
}
