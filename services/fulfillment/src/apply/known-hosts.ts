import { create } from '@bufbuild/protobuf';
import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import { type Host, type HostClass, HostSpecSchema } from '@quartermaster/api/private';
import type { Queryable } from '@quartermaster/store';
import { readClaimsOf, readClaimsOn } from '../claims/claim-rows.ts';
import type { HostClaim } from '../claims/host-claim.ts';
import { type HostMarks, marksOf } from '../claims/host-marks.ts';
import { normaliseSpec } from '../rules/index.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { KnownHosts } from './match-host.ts';

/** Everything that the batch is compared with, read in a few statements however large it is. */
export interface Known extends KnownHosts {
  /** Classes whose id or name is the text. */
  classes(text: string): readonly HostClass[];
  /** What the source claims under the ids of the batch, and what anybody claims of the hosts that are known here. */
  readonly claims: readonly HostClaim[];
  /** Reads that were made ahead: a store that asks for the secrets of one host gets them from here. */
  readonly secrets: (hostId: string) => Queryable;
}

const sourcesStatement = {
  name: 'apply-sources',
  text: 'select source_id, host_id from host_sources where source = $1 and source_id = any($2::text[])',
};
const similarStatement = {
  name: 'apply-similar',
  text: `select body from hosts
    where (serial = any($1::text[]) or system_uuid = any($2::text[]) or boot_mac = any($3::text[]) or macs && $3::text[]) and source <> $4`,
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
  const claimed = await readClaimsOf(
    db,
    source,
    facts.map(({ sourceId }) => sourceId),
  );
  const asked = facts.map(({ id }) => id).filter((id) => id !== '');
  const ids = new Set([...idBySourceId.values(), ...asked, ...claimed.map(({ hostId }) => hostId)]);
  const hosts = new Map(await kinds.hosts.store.getMany(db, [...ids]));
  const ofSource = (sourceId: string): Host | undefined => {
    const host = hosts.get(idBySourceId.get(sourceId) ?? '');
    // The row of a host that is gone, and of which another one has the id since.
    return host?.status?.source?.name === source && host.status.source.id === sourceId ? host : undefined;
  };
  const marks = facts.map((each) => marksOfFacts(each, ofSource(each.sourceId)));
  const similar = await readSimilar(kinds.hosts.store.decode.bind(kinds.hosts.store), db, source, marks);
  for (const host of similar) hosts.set(host.id, host);
  const claims = [...claimed, ...(await readClaimsOn(db, [...hosts.keys()]))];
  const named = [...new Set(facts.map((each) => each.class ?? ''))].filter((text) => text !== '');
  const classes = [...(await kinds.host_classes.store.findByIdOrName(db, named)), ...newClasses];
  const secrets = await readSecrets(db, facts, [...hosts.values()]);
  return {
    ofSource,
    withId: (id) => hosts.get(id),
    similarTo: similarIn(similar),
    claims,
    classes: (text) => classes.filter(({ id, metadata }) => id === text || metadata?.name === text),
    secrets: (hostId) => ({ query: async <R extends object>() => (secrets.get(hostId) ?? []) as readonly object[] as readonly R[] }),
  };
}

/** The marks of the host that the facts make of the stored one, or of none. */
export function marksOfFacts(facts: HostFacts, stored?: Host): HostMarks {
  const { serial, systemUuid, bootMac, nics } = facts;
  const spec = create(HostSpecSchema, {
    serial: serial ?? stored?.spec?.serial ?? '',
    systemUuid: systemUuid ?? stored?.spec?.systemUuid ?? '',
    bootMac: bootMac ?? stored?.spec?.bootMac ?? '',
    nics: (nics?.items ?? stored?.spec?.nics ?? []).map(({ mac }) => ({ mac })),
  });
  normaliseSpec(spec);
  return marksOf(spec);
}

/** Finds those that have a mark in common with others, in a time that does not grow with their number. */
function similarIn(hosts: readonly Host[]): KnownHosts['similarTo'] {
  const byMark = new Map<string, Host[]>(); // kind and value of a mark -> those that have it
  for (const host of hosts) for (const mark of textsOf(marksOf(host.spec))) byMark.set(mark, [...(byMark.get(mark) ?? []), host]);
  return (marks) => [...new Set(textsOf(marks).flatMap((mark) => byMark.get(mark) ?? []))];
}

const textsOf = ({ serial, systemUuid, macs }: HostMarks): string[] => [
  ...(serial === '' ? [] : [`serial ${serial}`]),
  ...(systemUuid === '' ? [] : [`uuid ${systemUuid}`]),
  ...macs.map((mac) => `mac ${mac}`),
];

/** Hosts of others that have one of the marks. */
async function readSimilar(
  decode: (body: Uint8Array) => Host,
  db: Queryable,
  source: string,
  marks: readonly HostMarks[],
): Promise<readonly Host[]> {
  const serials = marks.map(({ serial }) => serial).filter((serial) => serial !== '');
  const uuids = marks.map(({ systemUuid }) => systemUuid).filter((uuid) => uuid !== '');
  const macs = marks.flatMap((each) => each.macs);
  if (serials.length + uuids.length + macs.length === 0) return [];
  const rows = await db.query<{ readonly body: Uint8Array }>(similarStatement, [serials, uuids, macs, source]);
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
