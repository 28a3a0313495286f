import { describe, expect, it } from 'vitest';
import { breakingStatements } from './breaking-statements.ts';

describe('breakingStatements', () => {
  it.each([
    'drop table hosts',
    'DROP FUNCTION texts_of(jsonb)',
    'truncate hosts',
    'alter table hosts rename column rack to place',
    'alter table hosts rename to machines',
    'alter table hosts\n  drop column rack',
    'alter table hosts alter column version type int',
    'alter table hosts alter column deleted_at set not null',
    'alter table hosts alter column labels drop default',
    'alter table hosts add column place text not null',
    'alter table hosts add constraint positive check (version > 0)',
    'create unique index hosts_name_is_unique on hosts (name)',
    'create trigger t before insert on hosts execute function f()',
    'delete from hosts where rack is null',
  ])('finds what the release before may not survive: %s', (statement) => {
    expect(breakingStatements(`create table others (id text);\n${statement};`)).toHaveLength(1);
  });

  it.each([
    'create table places (id text primary key, name text not null)',
    'create index concurrently hosts_by_place on hosts (place)',
    'alter table hosts add column place text',
    "alter table hosts add column place text not null default ''",
    "alter table hosts add column place text not null generated always as (coalesce(data #>> '{spec,place}', '')) stored",
    'alter table hosts alter column rack drop not null',
    'drop index hosts_by_rack',
    "create function f() returns text language sql as $$ select 'drop table hosts;' $$",
    "create table p (id text); create unique index p_is_unique on p (id); alter table p add constraint c check (id <> ''); drop table p",
    '-- drop table hosts;\n/* truncate hosts; */ select 1',
  ])('lets through what only adds, or concerns what the migration made itself: %s', (text) => {
    expect(breakingStatements(`${text};`)).toEqual([]);
  });
});
