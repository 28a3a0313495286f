import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from '@quartermaster/api/private';
import { fieldKeys, fieldsOf, objectFilter, type SchemaDocument } from '@quartermaster/console';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { systemClock } from '@quartermaster/kernel';
import {
  KeptTotals,
  type ListQuery,
  listObjects,
  type ObjectTable,
  objectColumns,
  type Queryable,
  type Statement,
  type StoredObject,
} from '@quartermaster/store';
import { compileFilter, compileOrder, type SqlParameters } from '@quartermaster/store/filter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
  const { database } = service;
  await database.query({
    text: `insert into hosts (id, name, created_at, tenants, labels, data, body)
      select 'h' || i, 'n' || i, now(), '{shared}', jsonb_build_object('team', 't' || i % 700) || case when i % 500 = 0 then '{"rare": ""}' else '{}' end::jsonb, jsonb_build_object(
        'spec', jsonb_build_object('class', 'c' || i % 20, 'rack', 'r' || i % 500, 'serial', 'S' || i, 'system_uuid', 'u' || i, 'boot_mac', 'm' || i,
          'boot_ip', '10.1.' || i / 200 || '.' || i % 200, 'nics', jsonb_build_array(jsonb_build_object('mac', 'n' || i), jsonb_build_object('mac', 'o' || i))),
        'status', jsonb_build_object('state', 2 + (i % 1000 = 0)::int, 'source', jsonb_build_object('name', 's' || i % 50))
          || case when i % 3 = 0 then '{}' else jsonb_build_object('cluster', 'k' || i % 900, 'hub', 'b' || i % 40) end), ''
      from generate_series(1, 30000) as i`,
  });
  await database.query({
    text: `insert into clusters (id, name, created_at, tenants, labels, data, body)
      select 'k' || i, 'n' || i, now(), array['t' || i % 300, 'of-' || i % 3000], jsonb_build_object('team', 't' || i % 700), jsonb_build_object(
        'spec', jsonb_build_object('template', 'p' || i % 90), 'status', jsonb_build_object('state', 2 + (i % 1000 = 0)::int, 'hub', 'b' || i % 40)), ''
      from generate_series(0, 8999) as i`,
  });
  await database.query({
    text: `insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body)
      select 'hosts', 'created', 'h' || i, 0, '{}', '{shared}', '' from generate_series(1, 30000) as i`,
  });
  await database.query({ text: 'vacuum analyze changes' });
  await database.query({ text: 'vacuum analyze hosts' });
  await database.query({ text: 'vacuum analyze clusters' });
});

afterAll(async () => {
  await service.stop();
});

interface Plans {
  readonly page: string;
  readonly count: string;
}

/** How PostgreSQL answers a list: the plan of the page, and that of the count. */
async function plansIn<M extends StoredObject>(
  store: ObjectTable<M>,
  filter: string,
  more: Partial<ListQuery<M>> = {},
  totals?: KeptTotals,
): Promise<Plans> {
  const plans: string[] = [];
  const explaining: Queryable = {
    async query<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]> {
      const rows = await service.database.query<Record<string, string>>({ text: `explain ${statement.text}` }, values);
      plans.push(rows.map((row) => row['QUERY PLAN'] ?? '').join('\n'));
      return [];
    },
  };
  await listObjects(explaining, store, queryOf(store, filter, more), totals);
  return { page: plans[0] ?? '', count: plans[1] ?? '' };
}

function queryOf<M extends StoredObject>(store: ObjectTable<M>, filter: string, more: Partial<ListQuery<M>>): ListQuery<M> {
  const { schema } = store.type;
  return {
    filter: compileFilter(filter, { roots: [{ variable: 'this', message: schema }] }),
    filterText: filter,
    order: compileOrder('', { message: schema }),
    columns: () => objectColumns(store.type),
    offset: 1,
    limit: 100,
    cursor: '',
    isCounted: true,
    now: new Date(),
    ...more,
  };
}

/** Totals of which that of the filter is kept. */
async function withKept(filter: string): Promise<KeptTotals> {
  const { store } = service.fulfillment.kinds.hosts;
  const totals = new KeptTotals({ clock: systemClock, figures: () => ({ lost: 0 }) });
  let isKept = false;
  const counting: Queryable = {
    query<R extends object>({ text }: Statement): Promise<readonly R[]> {
      isKept ||= text.includes('as ids');
      return Promise.resolve([{ total: 1_000n, snapshot: '10:10:', ids: [] }] as unknown as readonly R[]);
    },
  };
  while (!isKept) await listObjects(counting, store, queryOf(store, filter, { limit: 0 }), totals);
  return totals;
}

const plansOf = (filter: string, more?: Partial<ListQuery<Host>>): Promise<Plans> =>
  plansIn(service.fulfillment.kinds.hosts.store, filter, more);

const isThere = '!has(this.metadata.deletion_timestamp)';
const mac = '52:54:00:00:00:0a';

/** Every filter of hosts that the command line and the console have ready and that few hosts match, with the index that finds them. What people type is below. */
const ofHosts: readonly (readonly [filter: string, index: string])[] = [
  ['this.spec.class == "c3"', 'hosts_by_class'],
  ['this.spec.class == ""', 'hosts_by_class'],
  ['this.spec.class == "c3" && this.status.cluster != ""', 'hosts_by_class'],
  ['this.spec.class == "c3" && this.status.cluster == "" && this.status.host_pool != ""', 'hosts_by_class'],
  [
    'this.spec.class == "c3" && this.status.cluster == "" && this.status.host_pool == "" && !(this.status.state == HOST_STATE_FAILED) && (has(this.metadata.deletion_timestamp) || this.status.state == HOST_STATE_PROGRESSING || this.status.conditions.exists(c, c.type == HOST_CONDITION_TYPE_DISPUTED && c.status == CONDITION_STATUS_TRUE) || !has(this.spec.bmc) || this.spec.bmc.url == "" || this.spec.boot_mac == "")',
    'hosts_by_class',
  ],
  ['this.status.cluster == "k7"', 'hosts_by_cluster'],
  ['this.spec.rack == "r7"', 'hosts_by_rack'],
  ['this.status.hub == "b7"', 'hosts_by_hub'],
  ['this.status.source.name == "s7"', 'hosts_by_source'],
  ['this.status.source.name == ""', 'hosts_by_source'],
  ['this.status.state == HOST_STATE_FAILED', 'hosts_by_state'],
  ['this.spec.serial == "S7"', 'hosts_by_serial'],
  ['this.spec.system_uuid == "u7"', 'hosts_by_system_uuid'],
  ['this.spec.system_uuid in ["u7", "U7"] || this.spec.serial == "S7"', 'hosts_by_system_uuid'],
  ['this.spec.system_uuid == "u7" || this.spec.serial in ["U7", "u7"]', 'hosts_by_serial'],
  ['this.spec.boot_mac == "m7"', 'hosts_by_boot_mac'],
  ['this.spec.boot_ip == "10.1.0.7"', 'hosts_by_boot_ip'],
  ['this.spec.nics.exists(nic, nic.mac == "o7")', 'hosts_by_mac'],
  [`this.spec.boot_mac == "${mac}" || this.spec.nics.exists(nic, nic.mac == "${mac}") || this.spec.serial in ["${mac}"]`, 'hosts_by_mac'],
  [`(${isThere}) && (this.metadata.labels["team"] == "t7")`, 'hosts_by_label'],
  [`(${isThere}) && ("rare" in this.metadata.labels)`, 'hosts_by_label'],
  ['this.metadata.name == "n7"', 'hosts_by_name'],
  [`this.metadata.name == "n7" && ${isThere}`, 'hosts_by_name'],
  ['this.metadata.name.startsWith("n77") || this.id.startsWith("h77")', 'hosts_by_name'],
  ['this.id == "h7"', 'hosts_pkey'],
  ['this.id in ["h7", "h8"]', 'hosts_pkey'],
  ['this.id == "h7" || this.metadata.name == "h7"', 'hosts_by_name'],
  [`${isThere} && (this.id in ["h7"] || this.metadata.name in ["h7"])`, 'hosts_by_name'],
  ['this.status.host_pool == "p1"', 'hosts_by_host_pool'],
];

/** Those that any host may match, or that look for a part of a text: they look at every host, but at its columns alone. */
const ofAllHosts: readonly string[] = [
  'this.metadata.name.contains("x") || this.id == "x"',
  'this.spec.rack.contains("x") || this.spec.rack.contains("X")',
  'this.spec.serial.contains("x") || this.spec.boot_ip.contains("x") || this.spec.system_uuid.contains("x") || this.spec.boot_mac.contains("x")',
  'this.spec.boot_mac.contains("52:54") || this.spec.nics.exists(nic, nic.mac.contains("52:54"))',
  'this.spec.rack != ""',
  'this.status.cluster == ""',
  'this.status.cluster != ""',
  isThere,
  `(${isThere}) && (!("team" in this.metadata.labels))`,
];

const ofClusters: readonly (readonly [filter: string, index: string])[] = [
  ['this.status.hub == "b7"', 'clusters_by_hub'],
  ['this.spec.template == "p7"', 'clusters_by_template'],
  ['this.status.state == CLUSTER_STATE_FAILED', 'clusters_by_state'],
  [`(${isThere}) && (this.metadata.labels["team"] == "t7")`, 'clusters_by_label'],
  ['this.id == "k7" || this.metadata.name == "k7"', 'clusters_by_name'],
];

/** Those that any cluster may match: they look at every cluster, but at its columns alone. */
const ofAllClusters: readonly string[] = [
  'this.status.state != CLUSTER_STATE_READY',
  'this.status.state == CLUSTER_STATE_READY',
  'this.metadata.tenants.exists(each, each.contains("x"))',
];

/** Those that are ready for tenants alone: they read documents, but only of the hosts that the tenant has. */
const ofHostsOfTenant: readonly string[] = ['this.status.power_state == HOST_POWER_STATE_OFF'];

/** Those that are asked of the market, which reads documents of the leases of one tenant, or of one deployment by their ids. */
const ofTheMarket: readonly string[] = [
  'this.status.delivery.health == "unhealthy"',
  'this.spec.order.owner == "acme" && (this.id == "3-1-1" || this.id.startsWith("3-1-1-"))',
];

const listed = [...ofHosts, ...ofClusters].map(([filter]) => filter).concat(ofAllHosts, ofAllClusters, ofHostsOfTenant, ofTheMarket);

/** The tests that a text makes of fields: `spec.rack ==`, `metadata.name.startsWith`; of one that is put together elsewhere the field alone, `spec.serial`. */
function testsIn(text: string): readonly string[] {
  const tests = text.matchAll(/\bthis\.(id|(?:metadata|spec|status)(?:\.[A-Za-z_]+)+)(?: (==|!=|in)(?= ))?/g);
  return [...tests].map(([, path = '', operator]) => (operator === undefined ? path : `${path} ${operator}`));
}

/** The sources of the command line and of the console. */
function sources(): readonly string[] {
  return ['quartermaster', 'console'].flatMap((app) => {
    const directory = fileURLToPath(new URL(`../../apps/${app}/src`, import.meta.url));
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    return files.filter((name) => /(?<!\.test)\.tsx?$/.test(name)).map((name) => readFileSync(join(directory, name), 'utf8'));
  });
}

describe('the filters above', () => {
  it('make every test of a field that the command line and the console make', () => {
    const asked = new Set(sources().flatMap(testsIn));
    const known = new Set(listed.flatMap(testsIn));
    expect(asked.size).toBeGreaterThan(25);
    const isKnown = (test: string): boolean =>
      known.has(test) || [...known].some((other) => other.startsWith(`${test} `) || other.startsWith(`${test}.`));
    expect([...asked].filter((test) => !isKnown(test))).toEqual([]);
  });
});

describe('lists of hosts', () => {
  it('of a class that are free come in order from one index, which counts them alone', async () => {
    const { page, count } = await plansOf('this.spec.class == "c3" && this.status.cluster == ""');
    expect(page).toContain('hosts_by_class');
    expect(page).not.toContain('Sort');
    expect(count).toContain('Index Only Scan using hosts_by_class');
  });

  it('that are in use come in order from an index of their own, however many free ones are before them', async () => {
    const filter = 'this.status.cluster != ""';
    const { page } = await plansOf(filter);
    const { page: withKeptTotal } = await plansIn(service.fulfillment.kinds.hosts.store, filter, {}, await withKept(filter));
    expect([page, withKeptTotal].map((plan) => plan.includes('hosts_in_use'))).toEqual([true, true]);
  });

  it('that are not deleted are counted by the index, too', async () => {
    const { count } = await plansOf('this.spec.class == "c3" && this.status.cluster == "" && !has(this.metadata.deletion_timestamp)');
    expect(count).toContain('Index Only Scan using hosts_by_class');
    expect(count).toContain('(deleted_at IS NULL)');
  });

  it.each(ofHosts)('%s are found by %s', async (filter, index) => {
    const { page, count } = await plansOf(filter);
    expect(count).toContain(index);
    expect(count).not.toContain('Seq Scan');
    expect(page).not.toContain('Seq Scan');
  });

  it.each(ofAllHosts)('%s read no document', async (filter) => {
    const { page, count } = await plansOf(filter);
    expect(count).toMatch(/on hosts/);
    expect(`${page}${count}`).not.toMatch(/\bdata\b/);
  });

  // Planned without the values, for whatever they are.
  it.each(ofHosts)('%s with a kept total read neither all hosts nor the whole feed', async (filter) => {
    const { page } = await plansIn(service.fulfillment.kinds.hosts.store, filter, {}, await withKept(filter));
    expect(page).toContain('pg_snapshot_xmax');
    expect(page).not.toContain('Seq Scan');
  });

  it.each(ofAllHosts)('%s with a kept total do not read the whole feed', async (filter) => {
    const { page } = await plansIn(service.fulfillment.kinds.hosts.store, filter, {}, await withKept(filter));
    expect(page).toContain('pg_snapshot_xmax');
    expect(page).not.toContain('Seq Scan on changes');
  });

  it.each([
    ['true', 't7'] as const,
    // Who has a twentieth of all hosts may well have them all looked at.
    ...ofHostsOfTenant.map((filter) => [filter, 'of-7'] as const),
  ])('%s of the tenant %s are found by its clusters', async (filter, tenant) => {
    const scope = (parameters: SqlParameters) =>
      `cluster in (select id from clusters where tenants && ${parameters.add([tenant], 'text[]')})`;
    const { count } = await plansOf(filter, { scope });
    expect(count).toContain('hosts_by_cluster');
    expect(count).toContain('clusters_by_tenant');
    expect(count).not.toContain('Seq Scan');
  });
});

const clusterPlansOf = (filter: string): Promise<Plans> => plansIn(service.fulfillment.kinds.clusters.store, filter);

describe('lists of clusters', () => {
  it.each(ofClusters)('%s are found by %s', async (filter, index) => {
    const { count } = await clusterPlansOf(filter);
    expect(count).toContain(index);
    expect(count).not.toContain('Seq Scan');
  });

  it.each(ofAllClusters)('%s read no document', async (filter) => {
    const { page, count } = await clusterPlansOf(filter);
    expect(count).toMatch(/on clusters/);
    expect(`${page}${count}`).not.toMatch(/\bdata\b/);
  });
});

/** What people can type into the tables of the console, a word or `key:value`, and what it costs. */
const typed = [
  {
    message: 'Host',
    plans: plansOf,
    // A word is looked for in the title and in the id that the source has for the host, which have no columns.
    readDocuments: ['7', ...keysOf('power_state title description bcm_link link url user insecure')],
    lookAtAll: keysOf('finalizers creators tenants version rack_unit rack_height'),
  },
  {
    message: 'Cluster',
    plans: clusterPlansOf,
    readDocuments: keysOf('api_url console_url'),
    lookAtAll: ['7', ...keysOf('finalizers creators tenants version')],
  },
];

/** With a whole value, which an index can find. */
function keysOf(names: string): readonly string[] {
  return names.split(' ').map((name) => `${name}:"7"`);
}

describe.each(typed)('what people type to find a $message', ({ message, plans, readDocuments, lookAtAll }) => {
  it('is found by an index or reads columns alone, but for these', async () => {
    const document = (await (await fetch(`${service.restUrl}/openapi.json`)).json()) as SchemaDocument;
    const fields = fieldsOf(document, `private.v1.${message}`);
    const keys = [...fieldKeys(fields).keys()];
    const costs = { readDocuments: new Set<string>(), lookAtAll: new Set<string>() };
    for (const query of ['7', ...keys.map((key) => `${key}:"7"`)]) {
      const { page, count } = await plans(objectFilter(query, fields, {}));
      if (/\bdata\b/.test(`${page}${count}`)) costs.readDocuments.add(query);
      else if (count.includes('Seq Scan')) costs.lookAtAll.add(query);
    }
    expect(costs).toEqual({ readDocuments: new Set(readDocuments), lookAtAll: new Set(lookAtAll) });
  });

  it('reads as little when it is a part of a value', async () => {
    const document = (await (await fetch(`${service.restUrl}/openapi.json`)).json()) as SchemaDocument;
    const fields = fieldsOf(document, `private.v1.${message}`);
    for (const key of fieldKeys(fields).keys()) {
      const { page, count } = await plans(objectFilter(`${key}:7`, fields, {}));
      expect({ key, readsDocuments: /\bdata\b/.test(`${page}${count}`) }).toEqual({
        key,
        readsDocuments: readDocuments.includes(`${key}:"7"`),
      });
    }
  });
});
