import { type Host, HostSchema } from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { type ListQuery, listObjects, objectColumns, type Queryable, type Statement } from '@quartermaster/store';
import { compileFilter, compileOrder, type SqlParameters } from '@quartermaster/store/filter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
  const { database } = service;
  await database.query({
    text: `insert into hosts (id, name, created_at, tenants, data, body)
      select 'h' || i, 'n' || i, now(), '{shared}', jsonb_build_object(
        'spec', jsonb_build_object('class', 'c' || i % 20, 'rack', 'r' || i % 500, 'serial', 'S' || i, 'system_uuid', 'u' || i, 'boot_mac', 'm' || i),
        'status', jsonb_build_object('state', 2 + (i % 1000 = 0)::int, 'source', jsonb_build_object('name', 's' || i % 50))
          || case when i % 3 = 0 then '{}' else jsonb_build_object('cluster', 'k' || i % 900, 'hub', 'b' || i % 40) end), ''
      from generate_series(1, 30000) as i`,
  });
  await database.query({
    text: `insert into clusters (id, name, created_at, tenants, data, body)
      select 'k' || i, 'n' || i, now(), array['t' || i % 300], '{}', '' from generate_series(0, 899) as i`,
  });
  await database.query({ text: 'vacuum analyze hosts' });
  await database.query({ text: 'vacuum analyze clusters' });
});

afterAll(async () => {
  await service.stop();
});

/** How PostgreSQL answers a list: the plan of the page, and that of the count. */
async function plansOf(filter: string, more: Partial<ListQuery<Host>> = {}): Promise<{ readonly page: string; readonly count: string }> {
  const plans: string[] = [];
  const explaining: Queryable = {
    async query<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly R[]> {
      const rows = await service.database.query<Record<string, string>>({ text: `explain ${statement.text}` }, values);
      plans.push(rows.map((row) => row['QUERY PLAN'] ?? '').join('\n'));
      return [];
    },
  };
  const { store } = service.fulfillment.kinds.hosts;
  await listObjects(explaining, store, {
    filter: compileFilter(filter, { roots: [{ variable: 'this', message: HostSchema }] }),
    filterText: filter,
    order: compileOrder('', { message: HostSchema }),
    columns: () => objectColumns(store.type),
    offset: 1,
    limit: 100,
    cursor: '',
    isCounted: true,
    now: new Date(),
    ...more,
  });
  return { page: plans[0] ?? '', count: plans[1] ?? '' };
}

describe('lists of hosts', () => {
  it('of a class that are free come in order from one index, which counts them alone', async () => {
    const { page, count } = await plansOf('this.spec.class == "c3" && this.status.cluster == ""');
    expect(page).toContain('hosts_by_class');
    expect(page).not.toContain('Sort');
    expect(count).toContain('Index Only Scan using hosts_by_class');
  });

  it('that are not deleted are counted by the index, too', async () => {
    const { count } = await plansOf('this.spec.class == "c3" && this.status.cluster == "" && !has(this.metadata.deletion_timestamp)');
    expect(count).toContain('Index Only Scan using hosts_by_class');
    expect(count).toContain('(deleted_at IS NULL)');
  });

  it.each([
    ['this.spec.class == "c3"', 'hosts_by_class'],
    ['this.status.cluster == "k7"', 'hosts_by_cluster'],
    ['this.spec.rack == "r7"', 'hosts_by_rack'],
    ['this.status.hub == "b7"', 'hosts_by_hub'],
    ['this.status.source.name == "s7"', 'hosts_by_source'],
    ['this.status.state == HOST_STATE_FAILED', 'hosts_by_state'],
    ['this.spec.serial == "S7"', 'hosts_by_serial'],
    ['this.spec.system_uuid == "u7"', 'hosts_by_system_uuid'],
    ['this.spec.boot_mac == "m7"', 'hosts_by_boot_mac'],
    ['this.metadata.name == "n7"', 'hosts_by_name'],
    ['this.id == "h7"', 'hosts_pkey'],
    ['this.id in ["h7", "h8"]', 'hosts_pkey'],
    ['this.id == "h7" || this.metadata.name == "h7"', 'hosts_by_name'],
    ['!has(this.metadata.deletion_timestamp) && (this.id in ["h7"] || this.metadata.name in ["h7"])', 'hosts_by_name'],
    ['this.status.host_pool == "p1"', 'hosts_by_host_pool'],
  ])('%s are found by %s', async (filter, index) => {
    const { page, count } = await plansOf(filter);
    expect(count).toContain(index);
    expect(count).not.toContain('Seq Scan');
    expect(page).not.toContain('Seq Scan');
  });

  it('of a tenant are found by its clusters', async () => {
    const scope = (parameters: SqlParameters) =>
      `cluster in (select id from clusters where tenants && ${parameters.add(['t7'], 'text[]')})`;
    const { count } = await plansOf('true', { scope });
    expect(count).toContain('hosts_by_cluster');
    expect(count).toContain('clusters_by_tenant');
    expect(count).not.toContain('Seq Scan');
  });
});
