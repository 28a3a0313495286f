import { create } from '@bufbuild/protobuf';
import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import { type Host, type HostClass, HostNicSchema, type HostSpec, HostSpecSchema } from '@quartermaster/api/private';
import type { Queryable } from '@quartermaster/store';
import type { Assertion } from '../identity/assertion.ts';
import { readAssertionsOf, readAssertionsOfHosts } from '../identity/assertion-rows.ts';
import { bootMarksOf, type HostMarks, listMarks, marksOf } from '../identity/host-marks.ts';
import { MachineCensus } from '../identity/machine-census.ts';
import { placeOf, readNeighbourhood, type Sought, soughtOf } from '../identity/read-neighbours.ts';
import { normaliseSpec } from '../rules/index.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { KnownHosts } from './match-host.ts';
import type { PlanOptions } from './plan-host.ts';

/** Everything that the batch is compared with, read in a few statements however large it is. */
export interface Known extends KnownHosts {
  /** Classes whose id or name is the text. */
  classes(text: string): readonly HostClass[];
  /** What the source asserts under the ids of the batch, and what anybody asserts of the hosts that are known here, or because of them. */
  readonly assertions: readonly Assertion[];
  /** Everybody who has a mark of the batch, as stored, and the machines of the batch. One of its own for each caller, who may go on with it. */
  census(): MachineCensus;
  /** Whether all is known of the host that it is judged by. */
  readonly isNear: (id: string) => boolean;
  /** Reads that were made ahead: a store that asks for the secrets of one host gets them from here. */
  readonly secrets: (hostId: string) => Queryable;
}

const sourcesStatement = {
  name: 'apply-sources',
  text: 'select source_id, host_id from host_sources where source = $1 and source_id = any($2::text[])',
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
  { source, idOf }: Pick<PlanOptions, 'source' | 'idOf'>,
  facts: readonly HostFacts[],
  /** Those that a dry run would have made: hosts of the same batch may name them. */
  newClasses: readonly HostClass[] = [],
): Promise<Known> {
  const rows = await db.query<{ readonly source_id: string; readonly host_id: string }>(sourcesStatement, [
    source,
    facts.map(({ sourceId }) => sourceId),
  ]);
  const idBySourceId = new Map(rows.map(({ source_id, host_id }) => [source_id, host_id]));
  const ofBatch = await readAssertionsOf(
    db,
    source,
    facts.map(({ sourceId }) => sourceId),
  );
  const asked = facts.map(({ id }) => id).filter((id) => id !== '');
  const ids = new Set([...idBySourceId.values(), ...asked, ...ofBatch.map(({ hostId }) => hostId)]);
  const hosts = new Map(await kinds.hosts.store.getMany(db, [...ids]));
  const ofSource = (sourceId: string): Host | undefined => {
    const host = hosts.get(idBySourceId.get(sourceId) ?? '');
    // The row of a host that is gone, and of which another one has the id since.
    return host?.status?.source?.name === source && host.status.source.id === sourceId ? host : undefined;
  };
  const sought = facts.flatMap((each): Sought[] => {
    const own = ofSource(each.sourceId);
    const said = soughtOfFacts(each, own, idOf(each));
    return own === undefined ? [said] : [said, soughtOf(own)];
  });
  const { near, beyond } = await readNeighbourhood(kinds.hosts, db, sought);
  for (const host of [...near, ...beyond]) hosts.set(host.id, host);
  const nearIds = new Set(near.map(({ id }) => id));
  const assertions = [...ofBatch, ...(await readAssertionsOfHosts(db, [...hosts.keys()]))];
  const census = (): MachineCensus => {
    const result = new MachineCensus(hosts.values(), assertions);
    for (const each of facts) result.addMachine(source, each.sourceId, marksOfFacts(each, ofSource(each.sourceId)));
    return result;
  };
  const named = [...new Set(facts.map((each) => each.class ?? ''))].filter((text) => text !== '');
  const classes = [...(await kinds.host_classes.store.findByIdOrName(db, named)), ...newClasses];
  const secrets = await readSecrets(db, facts, [...hosts.values()]);
  return {
    ofSource,
    withId: (id) => hosts.get(id),
    census,
    isNear: (id) => nearIds.has(id),
    assertions,
    classes: (text) => classes.filter(({ id, metadata }) => id === text || metadata?.name === text),
    secrets: (hostId) => ({ query: async <R extends object>() => (secrets.get(hostId) ?? []) as readonly object[] as readonly R[] }),
  };
}

/** The marks of the host that the facts make of the stored one, or of none. */
export function marksOfFacts(facts: HostFacts, stored?: Host): HostMarks {
  return marksOf(specOfFacts(facts, stored));
}

function soughtOfFacts(facts: HostFacts, stored: Host | undefined, newId: string): Sought {
  const spec = specOfFacts(facts, stored);
  const marks = listMarks(marksOf(spec));
  return { id: stored?.id ?? '', newId: stored?.id ?? newId, marks, boot: bootMarksOf(spec), place: placeOf({ spec }) };
}

/** What of the host others are compared with, in its normal form. */
function specOfFacts({ serial, systemUuid, bootMac, nics, rack, rackUnit, rackHeight }: HostFacts, stored: Host | undefined): HostSpec {
  const spec = create(HostSpecSchema, {
    serial: serial ?? stored?.spec?.serial ?? '',
    systemUuid: systemUuid ?? stored?.spec?.systemUuid ?? '',
    bootMac: bootMac ?? stored?.spec?.bootMac ?? '',
    nics: (nics?.items ?? stored?.spec?.nics ?? []).map(({ mac }) => create(HostNicSchema, { mac })),
    rack: rack ?? stored?.spec?.rack ?? '',
    rackUnit: rackUnit ?? stored?.spec?.rackUnit ?? 0,
    rackHeight: rackHeight ?? stored?.spec?.rackHeight ?? 0,
  });
  normaliseSpec(spec);
  return spec;
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
