import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectsMigrations } from '@quartermaster/objects';
import { storeMigrations } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';
import { breakingStatements } from './breaking-statements.ts';

const own = fileURLToPath(new URL('../../services/fulfillment/migrations', import.meta.url));
const market = fileURLToPath(new URL('../../services/market/migrations', import.meta.url));
const directories = [own, market, storeMigrations.directory, objectsMigrations.directory];
const filesOf = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith('.sql'));
const files = directories.flatMap((directory) => filesOf(directory).map((name) => join(directory, name)));

const dropExpressions = (table: string, columns: string): string =>
  `alter table ${table} ${columns
    .split(' ')
    .map((column) => `alter ${column} drop expression`)
    .join(', ')}`;

const columnsTrigger = (name: string, event: string, more = ''): string => {
  const table = name.replace(/_(created|written)_by_release_before$/, '');
  return `create trigger ${name} before ${event} on ${table} for each row when (new.columns_version <> new.version${more}) execute function columns_from_data()`;
};

/** What looks breaking and is not, by file, which says itself what keeps the release before it working. */
const excused: Readonly<Record<string, readonly string[]>> = {
  '0006_plain_columns.sql': [
    dropExpressions('cluster_templates', 'host_classes'),
    dropExpressions('clusters', 'template hub alias port state host_classes'),
    dropExpressions('hosts', 'class rack serial system_uuid boot_mac macs cluster hub host_pool source state is_disputed'),
    dropExpressions('host_pools', 'hub host_classes'),
    "do ''",
  ],
  '0007_host_identity.sql': [
    'create trigger hosts_dispute_ended_by_release_before before update on hosts for each row when (old.is_disputed and not new.is_disputed) execute function columns_from_data()',
  ],
  '0009_columns_version.sql': [
    dropExpressions('hosts', 'lacks rack_unit rack_height boot_ip'),
    columnsTrigger('hosts_created_by_release_before', 'insert'),
    columnsTrigger('hosts_written_by_release_before', 'update', ' or (old.is_disputed and not new.is_disputed)'),
    columnsTrigger('clusters_written_by_release_before', 'insert or update'),
    columnsTrigger('cluster_templates_written_by_release_before', 'insert or update'),
    columnsTrigger('host_pools_written_by_release_before', 'insert or update'),
  ],
};

describe('the migrations of the services and of what they are made of', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(7);
  });

  it.each(files.map((path) => [basename(path), path]))(
    '%s leaves the release before it working, or says that it does not',
    (name, path) => {
      const text = readFileSync(path, 'utf8');
      const isMarked = /^--[ \t]*breaks:[ \t]*previous[ \t]*$/im.test(text);
      expect(isMarked ? [] : breakingStatements(text)).toEqual(excused[name] ?? []);
      if (name in excused) expect(text).toMatch(/^--[ \t]*keeps:[ \t]*previous, /im);
    },
  );

  // A database that has run one never runs it again. Whoever adds one records it there: sha256sum *.sql > SHA256SUMS
  it.each(directories)('in %s are those of SHA256SUMS, unchanged', (directory) => {
    const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
    const sums = filesOf(directory)
      .toSorted()
      .map((name) => `${createHash('sha256').update(read(name)).digest('hex')}  ${name}\n`);
    expect(sums.join('')).toBe(read('SHA256SUMS'));
  });
});
