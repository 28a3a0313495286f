import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { ClusterSchema, type Host, HostClassSchema, MetadataSchema } from '@quartermaster/api/private';
import type { TestFulfillment } from '@quartermaster/fulfillment/testing';
import { type Database, WriteBatch } from '@quartermaster/store';
import { plainData, plainTables } from './plain-hosts.ts';
import { classCount, classId, clusterCount, clusterId, hostCount, sampleHost, sourceIdOf, sourceName } from './sample-host.ts';

type Kinds = TestFulfillment['fulfillment']['kinds'];

const hostsAtOnce = 1000;

const plainInsert = {
  name: 'plain-fill',
  text: `insert into plain_hosts (id, name, creators, tenants, data)
    select id, name, '{bench}', '{shared}', data from json_to_recordset($1::json) as r(id text, name text, data jsonb)`,
};

const sourceInsert = {
  name: 'source-fill',
  text: `insert into host_sources (source, source_id, host_id, last_seen)
    select $1, unnest($2::text[]), unnest($3::text[]), now()`,
};

/** The same hosts for the service, with what they refer to, and for the plain design. */
export async function fill(database: Database, kinds: Kinds): Promise<void> {
  await database.query({ text: plainTables });
  await fillOthers(database, kinds);
  for (let first = 0; first < hostCount; first += hostsAtOnce) {
    const hosts = Array.from({ length: hostsAtOnce }, (_, place) => withMetadata(sampleHost(first + place)));
    const batch = new WriteBatch();
    for (const host of hosts) kinds.hosts.store.create(batch, host);
    await database.transaction([], (tx) => batch.flush(tx));
    const plain = hosts.map((host) => `{"id":"${host.id}","name":"${host.metadata?.name}","data":${plainData(host)}}`);
    await database.query(sourceInsert, [sourceName, hosts.map((_, place) => sourceIdOf(first + place)), hosts.map(({ id }) => id)]);
    await database.query(plainInsert, [`[${plain.join(',')}]`]);
    const done = first + hostsAtOnce;
    if (done % 10_000 === 0) console.error(`loaded ${done} of ${hostCount} hosts`);
  }
  // A database that runs for a while has done this by itself.
  await database.query({ text: 'vacuum analyze' });
  await database.query({ text: 'checkpoint' });
}

async function fillOthers(database: Database, { host_classes, clusters }: Kinds): Promise<void> {
  const batch = new WriteBatch();
  for (let index = 0; index < classCount; index += 1) {
    const metadata = create(MetadataSchema, { name: `class ${index}`, tenants: ['shared'], creationTimestamp: timestampNow() });
    host_classes.store.create(batch, create(HostClassSchema, { id: classId(index), metadata }));
  }
  for (let index = 0; index < clusterCount; index += 1) {
    const metadata = create(MetadataSchema, { name: `cluster ${index}`, tenants: ['shared'], creationTimestamp: timestampNow() });
    clusters.store.create(batch, create(ClusterSchema, { id: clusterId(index), metadata }));
  }
  await database.transaction([], (tx) => batch.flush(tx));
}

function withMetadata(host: Host): Host {
  host.metadata ??= create(MetadataSchema);
  host.metadata.creationTimestamp = timestampNow();
  host.metadata.creators = ['bench'];
  return host;
}
