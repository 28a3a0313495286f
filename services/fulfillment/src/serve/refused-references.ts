import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { SecretReferenceSchema } from '@quartermaster/api/private';
import type { Clock, Log } from '@quartermaster/kernel';
import { degraded, type HealthStatus, healthy } from '@quartermaster/service';
import type { Database } from '@quartermaster/store';
import type { ReferencePolicy } from '../rules/index.ts';

export interface RefusedReferencesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly references: Pick<ReferencePolicy, 'problemOf'>;
  readonly clock: Clock;
  readonly log: Log;
}

const lenient = { ignoreUnknownFields: true };

/** While some are refused, so that health tells when a person has mended them. */
const againMs = 5 * 60_000;

// Of those that are alike, the first object.
const statement = {
  name: 'stored-references',
  text: `select reference, min(object) as example, count(*) as objects from (
      select data #> '{spec,bmc,password_ref}' as reference, 'hosts/' || id as object from hosts
      union all select data -> 'kubeconfig_ref', 'hubs/' || id from hubs
      union all select data -> 'pull_secret_ref', 'hubs/' || id from hubs
    ) as stored where reference is not null group by reference`,
};

interface StoredRow {
  readonly reference: JsonValue;
  readonly example: string;
  readonly objects: bigint;
}

/**
 * Counts the stored references that the settings do not allow, which are handed out to nobody: after an upgrade, or a change of the settings, controllers
 * would otherwise miss credentials without anybody having been told.
 */
export class RefusedReferences {
  readonly #options: RefusedReferencesOptions;
  #problem: string | undefined;
  #counting: Promise<void> | undefined;
  #isOutdated = false;
  #cancel = (): void => {};
  #isStopped = false;

  constructor(options: RefusedReferencesOptions) {
    this.#options = options;
  }

  /** Resolves when they were counted by the settings of now. What cannot be counted is logged and keeps nothing from going on. */
  async count(): Promise<void> {
    this.#isOutdated = true;
    this.#counting ??= this.#countAll().finally(() => (this.#counting = undefined));
    await this.#counting;
  }

  /** As they were counted last. */
  status(): HealthStatus {
    return this.#problem === undefined ? healthy : degraded(this.#problem);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#counting;
  }

  async #countAll(): Promise<void> {
    const { clock, log } = this.#options;
    while (this.#isOutdated && !this.#isStopped) {
      this.#isOutdated = false;
      try {
        this.#tell(await this.#refused());
      } catch (error) {
        log.warn('the stored references cannot be counted', { error });
      }
    }
    this.#cancel();
    if (this.#problem !== undefined && !this.#isStopped) this.#cancel = clock.schedule(againMs, () => void this.count());
  }

  async #refused(): Promise<Refused> {
    const { database, references } = this.#options;
    const rows = await database.query<StoredRow>(statement);
    const refused = rows.filter(({ reference }) => references.problemOf(fromJson(SecretReferenceSchema, reference, lenient)) !== undefined);
    return {
      count: refused.reduce((sum, { objects }) => sum + Number(objects), 0),
      examples: refused.map(({ example }) => example).toSorted(),
    };
  }

  #tell({ count, examples }: Refused): void {
    const before = this.#problem;
    const some = `${examples.slice(0, 3).join(', ')}${count > 3 ? ' …' : ''}`;
    this.#problem =
      count === 0
        ? undefined
        : `stored references that the settings do not allow, and that are not handed out: ${count} (${some}); list what they name in fulfillment-reference-directories or fulfillment-reference-secrets, or give these objects other credentials`;
    const { log } = this.#options;
    if (this.#problem !== undefined && this.#problem !== before) log.warn(this.#problem, { references: count });
    if (this.#problem === undefined && before !== undefined) log.info('all stored references are allowed');
  }
}

interface Refused {
  readonly count: number;
  readonly examples: readonly string[];
}
