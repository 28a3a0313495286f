import { type Clock, type Log, messageOf, silentLog, systemClock } from '@quartermaster/kernel';
import { degraded, FileWatch, type FileWatchOptions, type HealthStatus, healthy } from '@quartermaster/service';
import { defaultInventoryConfig, type InventoryConfig } from './inventory-config.ts';
import { parseInventoryConfig } from './parse-inventory-config.ts';

export interface InventoryConfigFileOptions extends Pick<FileWatchOptions, 'clock' | 'files' | 'pollIntervalMs' | 'settleMs'> {
  readonly path: string;
  readonly log?: Log | undefined;
  /** Told of each configuration that takes effect after the first. */
  onChange(config: InventoryConfig): void;
}

export interface InventoryConfigStatus {
  /** `absent`: there has never been a file, and the defaults hold. `broken`: the newest one is ignored. */
  readonly state: 'current' | 'absent' | 'broken';
  /** When what is in force was read, in milliseconds since the epoch. */
  readonly loadedAt: number;
  readonly problem: string | undefined;
}

/**
 * The configuration file, followed while it is replaced: also when a ConfigMap's mount swaps its links. A file that breaks a rule, or that
 * is gone after it was there, changes nothing and is reported until it is mended.
 */
export class InventoryConfigFile {
  readonly #watch: FileWatch;
  readonly #options: InventoryConfigFileOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  #current = defaultInventoryConfig;
  #state: InventoryConfigStatus['state'] = 'absent';
  #loadedAt: number;
  #problem: string | undefined;

  private constructor(options: InventoryConfigFileOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.#loadedAt = this.#clock.now();
    this.#watch = new FileWatch({
      ...options,
      paths: [options.path],
      onChange: (snapshot) => this.#take(snapshot.get(options.path) ?? ''),
    });
  }

  /** Throws when the file is there and breaks a rule: there is no last good one yet, and the defaults could sell what it excludes. */
  static async open(options: InventoryConfigFileOptions): Promise<InventoryConfigFile> {
    const file = new InventoryConfigFile(options);
    const content = (await file.#watch.start()).get(options.path) ?? '';
    try {
      if (content instanceof Error) {
        if (!isMissing(content)) throw content;
      } else {
        file.#current = parseInventoryConfig(content);
        file.#state = 'current';
      }
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
    return file;
  }

  get current(): InventoryConfig {
    return this.#current;
  }

  status(): InventoryConfigStatus {
    return { state: this.#state, loadedAt: this.#loadedAt, problem: this.#problem };
  }

  health(): HealthStatus {
    return this.#state === 'broken' ? degraded(`the configuration of before is in force: ${this.#problem}`) : healthy;
  }

  /** Looks at the file at once. */
  async reload(): Promise<void> {
    await this.#watch.look();
  }

  async close(): Promise<void> {
    await this.#watch.close();
  }

  #take(content: string | Error): void {
    try {
      if (content instanceof Error) throw content;
      this.#current = parseInventoryConfig(content);
    } catch (thrown) {
      this.#reject(thrown);
      return;
    }
    this.#state = 'current';
    this.#loadedAt = this.#clock.now();
    this.#problem = undefined;
    this.#log.info('inventory configuration replaced', { path: this.#options.path });
    this.#options.onChange(this.#current);
  }

  #reject(thrown: unknown): void {
    if (this.#state === 'absent' && isMissing(thrown)) return;
    this.#state = 'broken';
    this.#problem = messageOf(thrown);
    this.#log.warn('inventory configuration ignored, the last good one stays', { path: this.#options.path, error: this.#problem });
  }
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
}
