/*
 * All patterns are for statements as `statementsIn` gives them: in lower case, with single blanks and without the words that SQL leaves to the writer.
 */

/** Statements after which the release before may fail on the same database: what they take away or demand, it still uses or does not give. */
const breaking: readonly RegExp[] = [
  // Whoever used an index or was stopped by a trigger goes on without it.
  /^drop (?!index\b|trigger\b|statistics\b)/,
  /^truncate\b/,
  /^alter (?!table\b|index\b|system\b)\w+ .*\b(rename|set schema|drop attribute|add constraint|set not null)\b/,
  /^create unique index\b/,
  /^create (constraint )?trigger\b/,
  /^create policy\b/,
  /^revoke\b/,
  /^(with .*)?\bdelete from\b/,
  // Nobody can see what its text does.
  /^do\b/,
];

/** The same for the actions of `alter table`, of which one statement may have several. */
const breakingActions: readonly RegExp[] = [
  /^(rename|set schema|detach partition)\b/,
  /^(enable|force) row level security\b/,
  /^drop (?!constraint\b)/,
  /^alter \S+ ((set data )?type|set not null|drop (default|expression|identity))\b/,
  /^add (constraint|check|unique|foreign key|primary key|exclude)\b/,
  /^add (?!.*\b(default|generated)\b).*\b(not null|primary key)\b/,
];

/** May be left out, or stand in without changing what is taken away. */
const optionalWords: readonly (readonly [RegExp, string])[] = [
  [/\bif (not )?exists /g, ''],
  [/\b(or replace|concurrently|cascade|restrict) ?/g, ''],
  [/^(create|drop|alter) (materialized|foreign|global temporary|local temporary|temporary|temp|unlogged) /, '$1 '],
  [/^(alter table|truncate table|truncate|delete from) only /, '$1 '],
  [/^truncate table /, 'truncate '],
  [/\b(on|from) only /g, '$1 '],
  [/\b(add|drop|alter|rename) column /g, '$1 '],
];

/**
 * Those statements of a migration that the release before may not survive, unless they concern only tables that the migration itself makes. Is meant for
 * files that people write with care, not for hostile ones.
 */
export function breakingStatements(migration: string): readonly string[] {
  const statements = statementsIn(migration);
  const own = new Set(statements.flatMap((text) => plainName(/^create table ([\w."]+)/.exec(text)?.[1]) ?? []));
  return statements.filter((text) => isBreaking(text) && !tablesOf(text).every((table) => own.has(table)));
}

function isBreaking(statement: string): boolean {
  const actions = /^alter table [\w."]+ (.*)$/.exec(statement)?.[1];
  if (actions === undefined) return breaking.some((pattern) => pattern.test(statement));
  return partsOf(actions).some((action) => breakingActions.some((pattern) => pattern.test(action)));
}

/** Without comments, texts and what lies between dollar signs. */
function statementsIn(migration: string): readonly string[] {
  const bare = migration
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'|--.*$|\/\*[\s\S]*?\*\//gm, (text) => (text.startsWith("'") ? "''" : ' '));
  return bare
    .split(';')
    .map((text) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase())
    .map((text) => optionalWords.reduce((shorter, [words, left]) => shorter.replace(words, left), text).trim())
    .filter((text) => text !== '');
}

/** The tables that a statement concerns; one without a name, which nobody owns, where that cannot be told. */
function tablesOf(statement: string): readonly string[] {
  const several = /^(?:drop table|truncate) (.*)$/.exec(statement)?.[1];
  if (several !== undefined) return partsOf(several).map((part) => plainName(/^[\w."]+/.exec(part)?.[0]) ?? '');
  const one = /^(?:alter table|delete from) ([\w."]+)/.exec(statement) ?? /^create .*?\bon ([\w."]+)/.exec(statement);
  return [plainName(one?.[1]) ?? ''];
}

/** What commas outside of parentheses part. */
function partsOf(list: string): readonly string[] {
  let depth = 0;
  const parts = [''];
  for (const sign of list) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${sign}`);
  }
  return parts.map((part) => part.trim());
}

const plainName = (name: string | undefined): string | undefined => name?.replaceAll('"', '').replace(/^public\./, '');
