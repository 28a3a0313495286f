/** A client or a synchronizer of a later release, which knows fields that this one does not. */
import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import * as pub from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
  await service.admin.client(priv.HostClasses).create({ object: { id: 'c' } });
  await service.admin.client(priv.ClusterTemplates).create({ object: { id: 't', nodeSets: { w: { hostClass: 'c', size: 1 } } } });
});

afterAll(async () => {
  await service.stop();
});

const later = 'what-a-later-release-says';

/** The message with texts under numbers that its type does not have. */
function withUnknown<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc>,
  ...numbers: readonly number[]
): MessageShape<Desc> {
  const writer = new BinaryWriter().raw(toBinary(schema, create(schema, init)));
  for (const number of numbers) writer.tag(number, WireType.LengthDelimited).string(later);
  const message = fromBinary(schema, writer.finish());
  expect(message.$unknown).toHaveLength(numbers.length);
  return message;
}

const bmcOf = (user: string) => withUnknown(priv.BMCSchema, { user, password: 'p' }, 990);
const hostOf = (id: string, rack: string) =>
  withUnknown(priv.HostSchema, { id, spec: withUnknown(priv.HostSpecSchema, { rack, bmc: bmcOf('u') }, 990, 991) }, 990);

/** Whether the text is anywhere in the database. */
async function isStored(): Promise<boolean> {
  const tables = await service.database.query<{ name: string }>({
    text: `select tablename as name from pg_tables where schemaname = 'public'`,
  });
  const forms = [later, Buffer.from(later).toString('hex')];
  const rows = await Promise.all(
    tables.map(({ name }) => service.database.query<{ row: string }>({ text: `select t::text as row from ${name} as t` })),
  );
  expect(rows.flat().length).toBeGreaterThan(3);
  return rows.flat().some(({ row }) => forms.some((form) => row.includes(form)));
}

describe('a newer client', () => {
  it('is served, and what cannot be checked here is not stored: it may be a secret', async () => {
    const hosts = service.admin.client(priv.Hosts);
    const { object: made } = await hosts.create({ object: hostOf('h', 'r1') });
    expect(made?.spec).toMatchObject({ rack: 'r1', bmc: { user: 'u', password: '<redacted>' } });
    const { object: replaced } = await hosts.update({ object: hostOf('h', 'r2') });
    expect(replaced?.spec?.rack).toBe('r2');
    const { object: masked } = await hosts.update({ object: hostOf('h', 'r3'), updateMask: { paths: ['spec'] } });
    expect(masked?.spec?.rack).toBe('r3');
    expect(await isStored()).toBe(false);
  });

  it('that synchronizes hosts writes them once, and then nothing', async () => {
    const sources = service.as({ name: 'sync', role: 'sync', source: 's' }).client(extras.HostSources);
    const facts = () => withUnknown(extras.HostFactsSchema, { sourceId: '1', name: 'one', rack: 'r1', bmc: bmcOf('v') }, 990);
    const apply = async () => (await sources.applyHosts({ source: 's', hosts: [facts()] })).hosts.map(({ outcome }) => outcome);
    expect(await apply()).toEqual([extras.ApplyOutcome.CREATED]);
    expect(await apply()).toEqual([extras.ApplyOutcome.UNCHANGED]);
    expect(await isStored()).toBe(false);
  });

  it('of the public API does not reach private fields by their numbers', async () => {
    const status = withUnknown(pub.ClusterStatusSchema, {}, 6, 7, 100, 101);
    const spec = { template: 't', nodeSets: { w: withUnknown(pub.ClusterNodeSetSchema, { size: 1 }, 3) } };
    const clusters = service.tenant('acme').client(pub.Clusters);
    const { object: made } = await clusters.create({
      object: { metadata: withUnknown(pub.MetadataSchema, { name: 'n' }, 990), spec, status },
    });
    await clusters.update({ object: { id: made?.id ?? '', metadata: { name: 'm' }, spec, status } });
    const { object: stored } = await service.admin.client(priv.Clusters).get({ id: made?.id ?? '' });
    expect(stored?.metadata?.name).toBe('m');
    expect(stored?.status ?? create(priv.ClusterStatusSchema)).toEqual(create(priv.ClusterStatusSchema));
    expect(stored?.spec?.nodeSets['w']?.hosts).toEqual([]);
    expect(await isStored()).toBe(false);
  });

  it('is told which value of a field this release does not know', async () => {
    const hosts = service.admin.client(priv.Hosts);
    const power = { object: { id: 'h', spec: { powerState: 77 as priv.HostPowerState } }, updateMask: { paths: ['spec.power_state'] } };
    await expect(hosts.update(power)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('spec.power_state'),
    });
  });
});
