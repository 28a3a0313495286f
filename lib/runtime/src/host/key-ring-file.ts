import { join } from 'node:path';
import { readOrMake } from '@quartermaster/auth';
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import { degraded, type FileSnapshot, FileWatch, type HealthStatus, healthy } from '@quartermaster/service';
import { KeyRing, type Sealed, type SecretKeyRing } from '@quartermaster/store';
import type { DatabaseConfig } from '../declaration/database-settings.ts';

export interface KeyRingStatus {
  readonly current: string;
  readonly keys: readonly string[];
  /** Why the file is ignored: the last good ring stays in use. */
  readonly problem?: string | undefined;
}

/** The key ring of a role. */
export interface RoleKeyRing {
  readonly keys: SecretKeyRing;
  status(): KeyRingStatus;
  /** Degraded while the file is ignored. */
  check(): HealthStatus;
  close(): Promise<void>;
}

export interface KeyRingFileOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The keys that the settings name; those of a file are what the file has now. In the data directory of an embedded database one is made when there is none: whoever loses it
 * loses the secrets.
 */
export async function openKeyRing(
  { keyRing, keyRingFile, dataDirectory }: Pick<DatabaseConfig, 'keyRing' | 'keyRingFile' | 'dataDirectory'>,
  options: KeyRingFileOptions,
): Promise<RoleKeyRing> {
  if (keyRing !== undefined) return fixedRing(KeyRing.parse(keyRing.reveal()));
  if (keyRingFile !== undefined) return await followed(keyRingFile, options);
  if (dataDirectory === undefined) throw new StatusError('invalid_argument', 'no key ring is set: set the key ring file of the role');
  const own = join(dataDirectory, 'key-ring');
  await readOrMake(own, () => KeyRing.generate()).catch((thrown: unknown) => unreadable(own, thrown));
  return await followed(own, options);
}

function fixedRing(keys: KeyRing): RoleKeyRing {
  return {
    keys,
    status: () => ({ current: keys.currentKeyId, keys: keys.keyIds }),
    check: () => healthy,
    close: () => Promise.resolve(),
  };
}

async function followed(path: string, options: KeyRingFileOptions): Promise<RoleKeyRing> {
  const ring = new FollowedKeyRing(path, options);
  await ring.open();
  return ring;
}

/** A ring is replaced as a whole: whoever seals or opens does so with one that was in the file. */
class FollowedKeyRing implements RoleKeyRing {
  readonly keys: SecretKeyRing;
  readonly #path: string;
  readonly #log: Log;
  readonly #watch: FileWatch;
  #ring: KeyRing | undefined;
  #problem: string | undefined;

  constructor(path: string, { clock, log }: KeyRingFileOptions) {
    this.#path = path;
    this.#log = log;
    this.#watch = new FileWatch({ paths: [path], clock, onChange: (snapshot) => this.#apply(snapshot) });
    const current = (): KeyRing => this.#current;
    this.keys = {
      get currentKeyId() {
        return current().currentKeyId;
      },
      get keyIds() {
        return current().keyIds;
      },
      seal: (plain: Uint8Array, context: string) => current().seal(plain, context),
      open: (sealed: Sealed, context: string) => current().open(sealed, context),
      rewrap: (sealed: Sealed) => current().rewrap(sealed),
    };
  }

  async open(): Promise<void> {
    const snapshot = await this.#watch.start();
    try {
      this.#ring = this.#read(snapshot);
    } catch (thrown) {
      await this.#watch.close();
      throw thrown;
    }
  }

  status(): KeyRingStatus {
    return { current: this.#current.currentKeyId, keys: this.#current.keyIds, problem: this.#problem };
  }

  check(): HealthStatus {
    if (this.#problem === undefined) return healthy;
    return degraded(`the last good key ring stays in use until this process ends; correct the file ${this.#path}: ${this.#problem}`);
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  get #current(): KeyRing {
    if (this.#ring === undefined) throw new StatusError('internal', 'the key ring was used before it was read');
    return this.#ring;
  }

  #apply(snapshot: FileSnapshot): void {
    try {
      this.#ring = this.#read(snapshot);
      this.#problem = undefined;
      this.#log.info('key ring reloaded', { file: this.#path, current: this.#ring.currentKeyId, keys: this.#ring.keyIds });
    } catch (thrown) {
      this.#problem = messageOf(thrown);
      this.#log.error('the key ring file is ignored, the last good ring stays in use', { file: this.#path, error: thrown });
    }
  }

  #read(snapshot: FileSnapshot): KeyRing {
    const content = snapshot.get(this.#path);
    return KeyRing.parse(typeof content === 'string' ? content : unreadable(this.#path, content));
  }
}

function unreadable(path: string, thrown: unknown): never {
  throw new StatusError('invalid_argument', `the key ring ${path} cannot be read: ${messageOf(thrown)}`);
}
