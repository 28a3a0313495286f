/** Each test names a fault in the lists of the service that this API comes from, and shows that it is not here. */
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import type { TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCluster, startWithTemplate } from './start-with-template.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startWithTemplate();
});
afterAll(() => service.stop());

const hosts = () => service.admin.client(priv.Hosts);

describe('lists', () => {
  it('55: a public filter knows no private field, so that nothing can be found out by asking', async () => {
    for (const client of [service.tenant('a'), service.admin]) {
      for (const filter of [
        'this.spec.bmc.password.startsWith("a")',
        'this.spec.bmc.user == "u"',
        'this.status.hub == "x"',
        'has(this.spec.rack)',
      ]) {
        await expect(client.client(pub.Hosts).list({ filter }), `of ${filter}`).rejects.toMatchObject({ code: 'invalid_argument' });
      }
    }
    // Nor can anybody ask for a secret through the private API.
    const filter = 'this.spec.bmc.password.startsWith("a")';
    await expect(hosts().list({ filter })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('56: no filter leads out of the tenants of its caller', async () => {
    const [mine, other] = [await createCluster(service, 'f56-mine'), await createCluster(service, 'f56-other')];
    const list = async (filter: string) =>
      (await service.tenant('f56-mine').client(pub.Clusters).list({ filter })).items.map(({ id }) => id);
    for (const filter of [`this.id == "${mine}" || this.id == "${other}"`, 'true || true', 'this.id == "" || this.id != ""', '!false']) {
      expect(await list(filter), `of ${filter}`).toEqual([mine]);
    }
    expect(await list(`this.id == "${other}"`)).toEqual([]);
    for (const filter of ['true) or (true', "true' or '1'='1", 'true; drop table hosts', 'true -- x']) {
      await expect(list(filter), `of ${filter}`).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('57: lists are ordered, and read in pages by a cursor, without a count where none is wanted', async () => {
    const made = Array.from({ length: 12 }, (_, i) => ({ id: `f57-${i}`, spec: { rack: `rack-${(i * 7) % 12}` } }));
    for (const object of made) await hosts().create({ object });
    const racks: string[] = [];
    for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
      const answer = await hosts().list({
        filter: 'this.id.startsWith("f57-")',
        order: 'spec.rack desc',
        limit: 5,
        cursor,
        skipTotal: true,
      });
      expect(answer.total).toBeUndefined();
      racks.push(...answer.items.map(({ spec }) => spec?.rack ?? ''));
      cursor = answer.nextCursor;
    }
    expect(racks).toEqual(
      made
        .map(({ spec }) => spec.rack)
        .toSorted()
        .toReversed(),
    );
  });

  it('58: bad filters, empty ids and missing tokens have codes of their own', async () => {
    for (const filter of ['this.nothing', 'this.id == ', 'this.id == 1', '1 + 1', 'this.spec == 1', 'nobody()']) {
      await expect(hosts().list({ filter }), `of ${filter}`).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(hosts().update({ object: {} })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(hosts().delete({ id: '' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(service.anonymous().client(priv.Hosts).list({})).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(service.tenant('a').client(priv.Hosts).list({})).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('59: texts with backslashes and quotes are found', async () => {
    const racks = ['a\\b', 'a\\\\b', "a'b", 'a"b', 'a%b', 'a_b', '\\', "\\'; --"];
    for (const [i, rack] of racks.entries()) await hosts().create({ object: { id: `f59-${i}`, spec: { rack } } });
    for (const [i, rack] of racks.entries()) {
      const text = JSON.stringify(rack);
      for (const filter of [
        `this.spec.rack == ${text}`,
        `this.spec.rack in [${text}]`,
        `this.spec.rack.endsWith(${text}) && this.spec.rack == ${text}`,
      ]) {
        expect(
          (await hosts().list({ filter })).items.map(({ id }) => id),
          `of ${filter}`,
        ).toEqual([`f59-${i}`]);
      }
    }
    const like = await hosts().list({ filter: 'this.id.startsWith("f59-") && this.spec.rack.contains("%")' });
    expect(like.items.map(({ id }) => id)).toEqual(['f59-4']);
  });

  it('60: what is not set is neither there nor lost to its negation', async () => {
    await hosts().create({ object: { id: 'f60-set', spec: { bmc: { user: 'u' } } } });
    await hosts().create({ object: { id: 'f60-unset' } });
    const ids = async (filter: string) =>
      (await hosts().list({ filter: `this.id.startsWith("f60-") && (${filter})` })).items.map(({ id }) => id);
    expect(await ids('has(this.spec.bmc.user)')).toEqual(['f60-set']);
    expect(await ids('!has(this.spec.bmc.user)')).toEqual(['f60-unset']);
    expect(await ids('this.spec.bmc.user == ""')).toEqual(['f60-unset']);
    expect(await ids('this.status.cluster == ""')).toEqual(['f60-set', 'f60-unset']);
    expect(await ids('!(this.spec.bmc.user == "u")')).toEqual(['f60-unset']);
  });
});
