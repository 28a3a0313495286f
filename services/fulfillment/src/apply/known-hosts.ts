import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Host, HostClass } from '@quartermaster/api/private';
import type { Queryable } from '@quartermaster/store';
import { hostRules } from '../rules/index.ts';
import type { ApplyOptions } from './apply-options.ts';
import { commonMark, type HostMarks, marksOf } from './host-marks.ts';
import { hostWithFacts } from './host-with-facts.ts';
import type { KnownHosts } from './match-host.ts';

/** Everything that the batch is compared with, read in a few statements however large it is. */
export interface Known extends KnownHosts {
  /** Classes whose id or name is the text. */
  classes(text: string): readonly HostClass[];
  /** Reads that were made ahead: a store that asks for the secrets of one host gets them from here. */
  readonly secrets: (hostId: string) => Queryable;
}

const sourcesStatement = {
  name: 'apply-sources',
  text: 'select source_id, host_id from host_sources where source = $1 and source_id = any($2::text[])',
};
const similarStatement = {
  name: 'apply-similar',
  text: `select body from hosts where serial = any($1::text[]) or system_uuid = any($2::text[]) or boot_mac = any($3::text[]) or macs && $3::text[]`,
};
const secretsStatement = {
  name: 'apply-secrets',
  text: `select object_id, path, key_id, sealed from secrets where kind = 'hosts' and object_id = any($1::text[])`,
};

interface SecretRow {
  readonly object_id: string;
}

export async function readKnown(
  { kinds }: Pick<ApplyOptions, 'kinds'>,
  db: Queryable,
  source: string,
  facts: readonly HostFacts[],
  /** Those that a dry run would have made: hosts of the same batch may name them. */
  newClasses: readonly HostClass[] = [],
): Promise<Known> {
  const rows = await db.query<{ readonly source_id: string; readonly host_id: string }>(sourcesStatement, [
    source,
    facts.map(({ sourceId }) => sourceId),
  ]);
  const idBySourceId = new Map(rows.map(({ source_id, host_id }) => [source_id, host_id]));
  const ids = new Set([...idBySourceId.values(), ...facts.map(({ id }) => id).filter((id) => id !== '')]);
  const hosts = new Map(await kinds.hosts.store.getMany(db, [...ids]));
  const strangers = facts.filter(({ sourceId }) => !hosts.has(idBySourceId.get(sourceId) ?? ''));
  const similar = await readSimilar(kinds.hosts.store.decode.bind(kinds.hosts.store), db, source, strangers);
  for (const host of similar) hosts.set(host.id, host);
  const named = [...new Set(facts.map((each) => each.class ?? ''))].filter((text) => text !== '');
  const classes = [...(await kinds.host_classes.store.findByIdOrName(db, named)), ...newClasses];
  const secrets = await readSecrets(db, facts, [...hosts.values()]);
  return {
    ofSource: (sourceId) => {
      const host = hosts.get(idBySourceId.get(sourceId) ?? '');
      // The row of a host that is gone, and of which another one has the id since.
      return host?.status?.source?.name === source && host.status.source.id === sourceId ? host : undefined;
    },
    withId: (id) => hosts.get(id),
    similarTo: (marks) => similar.filter((host) => commonMark(marks, marksOf(host.spec)) !== undefined),
    classes: (text) => classes.filter(({ id, metadata }) => id === text || metadata?.name === text),
    secrets: (hostId) => ({ query: async <R extends object>() => (secrets.get(hostId) ?? []) as readonly object[] as readonly R[] }),
  };
}

/** The marks of the host that the facts would make. */
export function marksOfFacts(facts: HostFacts, source: string): HostMarks {
  return marksOf(hostRules.normalise(hostWithFacts(undefined, facts, source)).spec);
}

async function readSimilar(
  decode: (body: Uint8Array) => Host,
  db: Queryable,
  source: string,
  facts: readonly HostFacts[],
): Promise<readonly Host[]> {
  const marks = facts.map((each) => marksOfFacts(each, source));
  const serials = marks.map(({ serial }) => serial).filter((serial) => serial !== '');
  const uuids = marks.map(({ systemUuid }) => systemUuid).filter((uuid) => uuid !== '');
  const macs = marks.flatMap((each) => each.macs);
  if (serials.length + uuids.length + macs.length === 0) return [];
  const rows = await db.query<{ readonly body: Uint8Array }>(similarStatement, [serials, uuids, macs]);
  return rows.map(({ body }) => decode(body));
}

/** Only of hosts that have a password, and only when the batch has any. */
async function readSecrets(
  db: Queryable,
  facts: readonly HostFacts[],
  hosts: readonly Host[],
): Promise<ReadonlyMap<string, readonly SecretRow[]>> {
  if (facts.every(({ bmc }) => bmc === undefined || bmc.password === '')) return new Map();
  const ids = hosts.filter(({ spec }) => spec?.bmc?.password !== undefined && spec.bmc.password !== '').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  return Map.groupBy(await db.query<SecretRow>(secretsStatement, [ids]), ({ object_id }) => object_id);
}
