import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import type { Deployed } from '../leases/running-leases.ts';
import { AddressSite, addressesIn, claimsIn, declaredIn } from './address-site.ts';

describe('leased addresses that migrate through the gateway', () => {
  let site: AddressSite;

  beforeAll(async () => {
    site = await AddressSite.start();
  });

  afterAll(() => site?.stop());

  const has = (deployed: Deployed): Promise<Readonly<Record<string, string>>> => addressesIn(site.cluster.client, deployed);
  const becomes = async (deployed: Deployed, expected: object): Promise<void> => {
    await expect.poll(() => has(deployed), patience).toEqual(expected);
  };

  it('lead to the lease that gets them, only those that were asked for, and back', async () => {
    const [blue, green, other] = await Promise.all([
      site.lease('amy', { front: [80, 443], back: [5432] }),
      site.lease('amy', { front: [80, 443], side: [22] }),
      site.lease('bob', { front: [80] }),
    ]);
    const [before, own, others] = [await has(blue), await has(green), await has(other)];
    const front = before['front:80'];
    expect([before['front:443'], own['front:80']]).toEqual([front, expect.not.stringMatching(`^${front}$`)]);

    expect(await site.migrate(green, ['front'])).toEqual({ status: 200, body: {} });
    await becomes(green, { 'front:80': front, 'front:443': front, 'side:22': own['side:22'] });
    await becomes(blue, { 'back:5432': before['back:5432'] });
    await expect.poll(() => declaredIn(site.cluster.client, blue), patience).toEqual([`${blue.namespace}-ip-back:5432`]);
    expect(await has(other)).toEqual(others);
    expect((await site.status(green)).ips?.['web']?.map(({ ExternalPort, IP }) => `${ExternalPort} ${IP}`)).toEqual(
      expect.arrayContaining([`80 ${front}`, `443 ${front}`, `22 ${own['side:22']}`]),
    );
    expect((await site.status(blue)).errors?.join()).toContain(`its address ${front} was moved to deployment ${green.order.dseq}, group 1`);
    // Asked again, nothing changes.
    expect(await site.migrate(green, ['front'])).toMatchObject({ status: 200 });

    expect(await site.migrate(blue, ['front'])).toMatchObject({ status: 200 });
    await becomes(blue, before);
    await becomes(green, { 'side:22': own['side:22'] });
    await expect.poll(async () => (await site.status(blue)).errors, patience).toBeUndefined();
  });

  it('are free again when the lease that got them ends, and the one that gave them gets one', async () => {
    const [blue, green] = await Promise.all([site.lease('cid', { front: [80] }), site.lease('cid', { front: [80] })]);
    const front = (await has(blue))['front:80'];
    await site.migrate(green, ['front']);
    await becomes(blue, {});
    await becomes(green, { 'front:80': front });
    await site.leases.close(green);
    await site.leases.untilComplete(green);
    expect((await claimsIn(site.cluster.client)).filter(({ owner }) => owner === 'cid')).toEqual([]);
    await becomes(blue, { 'front:80': expect.stringMatching(/^192\.0\.2\./) });
  });

  it('outlive the lease that gave them', async () => {
    const [blue, green] = await Promise.all([site.lease('dan', { front: [80] }), site.lease('dan', { front: [80] })]);
    const front = (await has(blue))['front:80'];
    await site.migrate(green, ['front']);
    await site.leases.close(blue);
    await site.leases.untilComplete(blue);
    await becomes(green, { 'front:80': front });
    expect((await claimsIn(site.cluster.client)).filter(({ owner }) => owner === 'dan')).toMatchObject([
      { lease: green.name, formerly: [] },
    ]);
  });

  it('are refused with the reason where they are another’s, in several leases, or not in the manifest', async () => {
    const [first, second, third, foreign] = await Promise.all([
      site.lease('eve', { front: [80] }),
      site.lease('eve', { front: [80], back: [81] }),
      site.lease('eve', { front: [80] }),
      site.lease('fay', { front: [80], lone: [82] }),
    ]);
    const leases = [first, second, third, foreign];
    const before = await Promise.all(leases.map(has));
    const dseqs = [first, second].map(({ order }) => order.dseq);
    expect(await site.migrate(third, ['front'], { owner: 'fay' })).toMatchObject({ status: 404 });
    expect(await site.migrate(first, ['lone'])).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('no other lease') },
    });
    expect(await site.migrate(first, ['back'])).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('does not have back') },
    });
    const several = await site.migrate(third, ['front']);
    expect(several).toMatchObject({ status: 422, body: { message: expect.stringContaining('source_dseq') } });
    for (const dseq of dseqs) expect(several.body.message).toContain(`${dseq} (group 1)`);
    expect(await Promise.all(leases.map(has))).toEqual(before);
    expect(await site.migrate(third, ['front'], { source_dseq: String(second.order.dseq) })).toMatchObject({ status: 200 });
    await becomes(third, { 'front:80': before[1]?.['front:80'] });
    expect(await has(first)).toEqual(before[0]);
  });
});
