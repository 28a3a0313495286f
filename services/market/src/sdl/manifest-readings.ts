import { createHash } from 'node:crypto';
import type { Clock } from '@quartermaster/kernel';
import type { SdlReader } from './sdl-reader.ts';
import type { SdlContent, SdlFaults } from './sdl-reading.ts';

export interface ManifestReadingsOptions {
  readonly sdl: Pick<SdlReader, 'read'>;
  readonly clock: Clock;
  /** How long one is kept: as long as the leases of one deployment take to ask for it. 60 s unless told. */
  readonly keptMs?: number | undefined;
  /** How many are kept at most; 64 unless told. */
  readonly maxKept?: number | undefined;
  /** The memory that all of their manifests take at most; 16 MiB unless told. */
  readonly maxKeptBytes?: number | undefined;
}

/** The SDL that a deployment has now. */
interface StoredSdl {
  readonly deployment: string;
  readonly owner: string;
  readonly text: string;
}

type ManifestReading = Pick<SdlContent, 'manifest' | 'manifestHash'> | SdlFaults;

interface UnderWay {
  readonly reading: Promise<ManifestReading>;
  /** Ends it, once nobody waits for it any more. */
  readonly ending: AbortController;
  waiting: number;
}

interface Kept {
  readonly digest: string;
  readonly reading: ManifestReading;
  readonly bytes: number;
  readonly cancelEnd: () => void;
}

/**
 * Manifests for the leases of deployments. All leases of a deployment ask for the same one, most of them at the same moment: its SDL is read once for all of them, in the
 * turn of its owner. Manifests hold secrets of tenants: each is kept for a short time, one for each deployment, in memory alone.
 */
export class ManifestReadings {
  readonly #sdl: Pick<SdlReader, 'read'>;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #maxKept: number;
  readonly #maxKeptBytes: number;
  readonly #underWay = new Map<string, UnderWay>(); // deployment and digest of its SDL -> what all who ask for it wait for
  readonly #kept = new Map<string, Kept>(); // deployment -> what it was read to be, the oldest first
  #keptBytes = 0;

  constructor(options: ManifestReadingsOptions) {
    this.#sdl = options.sdl;
    this.#clock = options.clock;
    this.#keptMs = options.keptMs ?? 60_000;
    this.#maxKept = options.maxKept ?? 64;
    this.#maxKeptBytes = options.maxKeptBytes ?? 16 * 2 ** 20;
  }

  /** What the SDL says, or what is wrong with it. Throws what `SdlReader.read` throws; that is kept for nobody. */
  async read(stored: StoredSdl, signal: AbortSignal): Promise<ManifestReading> {
    signal.throwIfAborted();
    const digest = createHash('sha256').update(stored.text).digest('hex');
    const kept = this.#kept.get(stored.deployment);
    if (kept?.digest === digest) return kept.reading;
    const key = `${stored.deployment} ${digest}`;
    const shared = this.#underWay.get(key) ?? this.#begin(key, digest, stored);
    shared.waiting += 1;
    try {
      return await whileWanted(shared.reading, signal);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (this.#underWay.get(key) === shared) this.#underWay.delete(key);
        shared.ending.abort(signal.reason);
      }
    }
  }

  #begin(key: string, digest: string, stored: StoredSdl): UnderWay {
    const ending = new AbortController();
    const shared = { reading: this.#make(digest, stored, ending.signal), ending, waiting: 0 };
    this.#underWay.set(key, shared);
    return shared;
  }

  async #make(digest: string, { deployment, owner, text }: StoredSdl, signal: AbortSignal): Promise<ManifestReading> {
    // Names of callers and of accounts are given by different people: one is not to wait for the other.
    const answer = await this.#sdl.read(text, `account ${owner}`, signal);
    const reading = 'faults' in answer ? answer : { manifest: answer.manifest, manifestHash: answer.manifestHash };
    this.#keep(deployment, digest, reading);
    return reading;
  }

  #keep(deployment: string, digest: string, reading: ManifestReading): void {
    this.#forget(deployment);
    // Two bytes for each character, as most strings take at worst; there are few faults.
    const bytes = 'faults' in reading ? 0 : reading.manifest.length * 2;
    if (bytes > this.#maxKeptBytes) return;
    const cancelEnd = this.#clock.schedule(this.#keptMs, () => this.#forget(deployment));
    this.#kept.set(deployment, { digest, reading, bytes, cancelEnd });
    this.#keptBytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxKept && this.#keptBytes <= this.#maxKeptBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(deployment: string): void {
    const kept = this.#kept.get(deployment);
    if (kept === undefined) return;
    kept.cancelEnd();
    this.#kept.delete(deployment);
    this.#keptBytes -= kept.bytes;
  }
}

/** Throws the signal's reason as soon as it aborts; the work goes on for others. */
function whileWanted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
