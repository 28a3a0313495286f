/** Statements after which the release before may fail on the same database: what they take away or demand, it still uses or does not give. */
const breaking: readonly RegExp[] = [
  /^drop (table|view|function|type|schema)\b/,
  /^truncate\b/,
  /^alter table .*\b(rename|drop column|set not null|drop default)\b/,
  /^alter table .*\balter column \S+ (set data )?type\b/,
  /^alter table .*\badd (constraint|check|unique|foreign key|primary key|exclude)\b/,
  /^alter table .*\badd column (?!.*\b(default|generated always)\b).*\bnot null\b/,
  /^alter (view|function|type|schema|sequence) .*\brename\b/,
  /^create unique index\b/,
  /^create (constraint )?trigger\b/,
  /^delete from\b/,
];

/**
 * Those statements of a migration that the release before may not survive, unless they concern only tables that the migration itself makes. Looks at the
 * beginnings of statements, and is meant for files that people write with care, not for hostile ones.
 */
export function breakingStatements(migration: string): readonly string[] {
  const statements = statementsIn(migration);
  const own = new Set(statements.flatMap((text) => /^create table (?:if not exists )?([\w."]+)/.exec(text)?.[1] ?? []));
  return statements.filter((text) => breaking.some((pattern) => pattern.test(text)) && !own.has(tableOf(text)));
}

/** In lower case and with single blanks; without comments, and without what lies between dollar signs. */
function statementsIn(migration: string): readonly string[] {
  const bare = migration
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''");
  return bare
    .split(';')
    .map((text) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase())
    .filter((text) => text !== '');
}

function tableOf(statement: string): string {
  const match =
    /^(?:alter table|drop table|truncate(?: table)?|delete from) (?:if exists )?(?:only )?([\w."]+)/.exec(statement) ??
    /^create .*?\bon ([\w."]+)/.exec(statement);
  return match?.[1] ?? '';
}
