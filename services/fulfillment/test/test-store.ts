import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Cluster, ClusterSchema, type Host, HostSchema } from '@quartermaster/api/private';
import { createUuidV7, systemClock, systemRandom } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { type Database, type DatabaseObserver, KeyRing, WriteBatch } from '@quartermaster/store';
import { createKinds, type Kinds } from '../src/kinds/kinds.ts';
import type { TestDatabases } from './test-database.ts';
import { testRules } from './test-rules.ts';

/** A store of its own for one test. */
export interface TestStore {
  readonly database: Database;
  readonly kinds: Kinds;
  readonly newId: () => string;
  /** Puts objects in as they are, beside all rules. */
  put(objects: { readonly hosts?: readonly Host[]; readonly clusters?: readonly Cluster[] }): Promise<void>;
  count(table: string): Promise<number>;
}

export async function openTestStore(databases: TestDatabases, observer?: DatabaseObserver): Promise<TestStore> {
  const database = await databases.open(observer);
  const kinds = createKinds(KeyRing.parse(KeyRing.generate()), testRules);
  return {
    database,
    kinds,
    newId: createUuidV7({ clock: systemClock, random: systemRandom }),
    async put({ hosts = [], clusters = [] }) {
      await database.transaction([], async (tx) => {
        const batch = new WriteBatch();
        for (const host of hosts) kinds.hosts.store.create(batch, host);
        for (const cluster of clusters) kinds.clusters.store.create(batch, cluster);
        await batch.flush(tx);
      });
    },
    async count(table) {
      const [row] = await database.query<{ readonly rows: bigint }>({ text: `select count(*) as rows from ${table}` });
      return Number(row?.rows ?? 0);
    },
  };
}

const metadata = { creationTimestamp: timestampFromMs(1_700_000_000_000), tenants: ['shared'] };

export function testHost(id: string, { spec = {}, status = {} }: Pick<MessageInitShape<typeof HostSchema>, 'spec' | 'status'> = {}): Host {
  return create(HostSchema, { id, metadata, spec, status });
}

export function testCluster(id: string, nodeSets: Record<string, { hostClass: string; size: number }>, tenants = ['acme']): Cluster {
  return create(ClusterSchema, { id, metadata: { ...metadata, tenants }, spec: { template: 't', nodeSets } });
}

/** A call of somebody who may do everything. */
export function adminCall(options: { readonly isDryRun?: boolean } = {}): Call {
  return {
    principal: {
      name: 'root',
      role: 'admin',
      visibleTenants: 'all',
      assignableTenants: 'all',
      defaultTenants: ['shared'],
      mayReadSecrets: true,
    },
    origin: { actor: 'root', role: 'admin', peer: '127.0.0.1', method: '/test', requestId: 'r' },
    isDryRun: options.isDryRun ?? false,
  };
}
