/**
 * Configuration that follows its file. A change of reloadable keys takes effect at once; a change of others is reported as needing a
 * restart and takes effect with it; a file that breaks a rule, or cannot be read, changes nothing and is reported until it is mended.
 */
import { type Clock, type Log, messageOf, StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { type FileSnapshot, FileWatch, type FileWatchOptions, type WatchedFiles } from '../files/file-watch.ts';
import { changedKeys, withKeys } from './config-changes.ts';
import type { ConfigDefinition, ConfigValues } from './define-config.ts';
import { type ConfigSources, type LoadOptions, loadConfig } from './load-config.ts';
import { type ConfigProblem, formatProblem } from './origin.ts';

export interface ConfigStatus {
  /** `restart-needed`: the file has changes that only a restart brings. `broken`: the file is ignored until it is mended. */
  readonly state: 'current' | 'restart-needed' | 'broken';
  /** When the values in force were last read, in milliseconds since the epoch. */
  readonly loadedAt: number;
  /** Keys that wait for a restart. */
  readonly needsRestart: readonly string[];
  /** Why the file is ignored. */
  readonly problem?: string | undefined;
}

export interface ConfigChange<C> {
  readonly values: C;
  /** Dotted names. */
  readonly changed: readonly string[];
}

export interface LiveConfig<C extends ConfigValues = ConfigValues> {
  /** The values in force. */
  readonly current: C;
  status(): ConfigStatus;
  /** Told of values that took effect. What a listener throws is logged. Returns what ends it. */
  subscribe(listener: (change: ConfigChange<C>) => void): () => void;
  /** Looks at the file at once. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface WatchConfigOptions extends LoadOptions, Pick<FileWatchOptions, 'pollIntervalMs' | 'settleMs'> {
  /** Without a file nothing ever changes. */
  readonly file?: string | undefined;
  readonly environment?: ConfigSources['environment'] | undefined;
  readonly presets?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  readonly files?: WatchedFiles | undefined;
}

/** Reads the configuration, throwing as `loadConfig` does, and follows its file from then on. */
export async function watchConfig<C extends ConfigValues>(
  definition: ConfigDefinition<C>,
  options: WatchConfigOptions = {},
): Promise<LiveConfig<C>> {
  const config = new FileConfig(definition, options);
  await config.open();
  return config;
}

class FileConfig<C extends ConfigValues> implements LiveConfig<C> {
  readonly #definition: ConfigDefinition<C>;
  readonly #options: WatchConfigOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #watch: FileWatch;
  readonly #listeners = new Set<(change: ConfigChange<C>) => void>();
  #current: C | undefined;
  #loadedAt = 0;
  #needsRestart: readonly string[] = [];
  #problem: string | undefined;

  constructor(definition: ConfigDefinition<C>, options: WatchConfigOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.#watch = new FileWatch({
      ...options,
      paths: options.file === undefined ? [] : [options.file],
      onChange: (snapshot) => this.#apply(snapshot),
    });
  }

  async open(): Promise<void> {
    if (this.#options.file === undefined) {
      this.#current = this.#load(new Map());
    } else {
      const snapshot = await this.#watch.start();
      try {
        this.#current = this.#load(snapshot);
      } catch (thrown) {
        await this.#watch.close();
        throw thrown;
      }
    }
    this.#loadedAt = this.#clock.now();
  }

  get current(): C {
    if (this.#current === undefined) throw new StatusError('internal', 'the configuration was used before it was read');
    return this.#current;
  }

  status(): ConfigStatus {
    const state = this.#problem !== undefined ? 'broken' : this.#needsRestart.length > 0 ? 'restart-needed' : 'current';
    return { state, loadedAt: this.#loadedAt, needsRestart: this.#needsRestart, problem: this.#problem };
  }

  subscribe(listener: (change: ConfigChange<C>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  reload(): Promise<void> {
    return this.#options.file === undefined ? Promise.resolve() : this.#watch.look();
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  #load(snapshot: FileSnapshot): C {
    const { file, presets, environment, args } = this.#options;
    const text = file === undefined ? undefined : snapshot.get(file);
    if (text instanceof Error) {
      throw new StatusError('invalid_argument', `configuration file ${file} cannot be read: create it or name another`, { cause: text });
    }
    const named = file === undefined || text === undefined ? undefined : { name: file, text };
    return loadConfig(this.#definition, { presets, file: named, environment, args }, this.#options).values;
  }

  #apply(snapshot: FileSnapshot): void {
    const before = this.current;
    try {
      const wanted = this.#load(snapshot);
      const changed = changedKeys(this.#definition, before, wanted);
      const reloadable = changed.filter((key) => key.isReloadable);
      const values = this.#definition.slice(withKeys(before, wanted, reloadable));
      this.#checkMixture(values);
      this.#problem = undefined;
      this.#needsRestart = changed.filter((key) => !key.isReloadable).map((key) => key.name);
      this.#loadedAt = this.#clock.now();
      this.#current = values;
      this.#tell(reloadable.map((key) => key.name));
    } catch (thrown) {
      this.#problem = messageOf(thrown);
      this.#log.error('configuration file is ignored, the last valid one stays in effect', { file: this.#options.file, error: thrown });
    }
  }

  /** New values of some keys beside old values of others may break a rule that each file keeps. */
  #checkMixture(values: C): void {
    const problems = this.#definition.check(values).map((each): ConfigProblem => ({ ...each, origin: { kind: 'default' } }));
    if (problems.length === 0) return;
    const text = problems.map(formatProblem).join('; ');
    throw new StatusError('failed_precondition', `the changes cannot be applied separately: restart to apply them: ${text}`);
  }

  #tell(changed: readonly string[]): void {
    if (this.#needsRestart.length > 0) {
      this.#log.warn('configuration keys changed that need a restart', { file: this.#options.file, keys: this.#needsRestart });
    }
    if (changed.length === 0) return;
    this.#log.info('configuration reloaded', { file: this.#options.file, keys: changed });
    for (const listener of this.#listeners) {
      try {
        listener({ values: this.current, changed });
      } catch (thrown) {
        this.#log.error('listener to configuration failed', { error: thrown });
      }
    }
  }
}
