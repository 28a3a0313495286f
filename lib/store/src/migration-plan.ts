import { StatusError } from '@quartermaster/kernel';

/** A migration as this release has it. */
export interface MigrationFile {
  /** The file without its ending, such as `0002_changes`. */
  readonly name: string;
  /** Declared by a line `-- breaks: previous`: earlier releases cannot work with the database once it was run. */
  readonly isBreaking: boolean;
}

/** What the database has. */
export interface AppliedMigration {
  readonly name: string;
  readonly isBreaking: boolean;
}

export interface MigrationPlan {
  /** To be run, in this order. */
  readonly pending: readonly string[];
  /** Run by a newer release that left this one working. */
  readonly newer: readonly string[];
}

/**
 * Releases only ever add migrations. A database is either behind this release, and is brought forward, or ahead of it, and is used as it is, unless one of the migrations
 * that this release does not know breaks earlier ones. Anything else is a mixture that nobody has tested: `failed_precondition`.
 */
export function planMigrations(files: readonly MigrationFile[], applied: readonly AppliedMigration[]): MigrationPlan {
  const known = new Set(files.map((file) => file.name));
  const done = new Set(applied.map((migration) => migration.name));
  const newer = applied.filter((migration) => !known.has(migration.name));
  const breaking = newer.find((migration) => migration.isBreaking);
  if (breaking !== undefined) {
    throw new StatusError(
      'failed_precondition',
      `the database was migrated by a newer release ("${breaking.name}") that this one cannot work with; run the newer release, or restore the backup from before`,
    );
  }
  const pending = files.filter((file) => !done.has(file.name)).map((file) => file.name);
  const first = pending[0];
  const after = first === undefined ? undefined : files.findLast((file) => done.has(file.name) && file.name > first);
  if (first !== undefined && (after !== undefined || newer.length > 0)) {
    const later = after?.name ?? newer[0]?.name ?? '';
    throw new StatusError(
      'failed_precondition',
      `migration "${first}" was never run, but "${later}", which comes after it, was; run the release that the database was made with`,
    );
  }
  return { pending, newer: newer.map((migration) => migration.name) };
}
