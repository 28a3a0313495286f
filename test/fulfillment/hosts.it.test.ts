import { Hosts as PublicHosts } from '@quartermaster/api/fulfillment';
import { HostClasses, Hosts } from '@quartermaster/api/private';
import { startFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startFulfillment();
});

afterAll(async () => {
  await service.stop();
});

describe('hosts', () => {
  it('are created, read, updated and deleted', async () => {
    const classes = service.admin.client(HostClasses);
    const hosts = service.admin.client(Hosts);
    const { object: made } = await classes.create({ object: { metadata: { name: 'gpu-large' }, title: 'GPU, large' } });
    const { object: host } = await hosts.create({
      object: {
        metadata: { name: 'h1' },
        spec: {
          class: 'gpu-large',
          rack: 'r1',
          bmc: { url: 'redfish+https://10.0.0.1/redfish/v1/Systems/1', user: 'root', password: 'canary-1' },
        },
      },
    });
    expect(host?.spec?.class).toBe(made?.id);
    expect(host?.spec?.bmc?.password).toBe('<redacted>');
    expect(host?.metadata).toMatchObject({ version: 0n, creators: ['admin'], tenants: ['shared'] });
    const id = host?.id ?? '';
    expect((await hosts.get({ id })).object?.spec?.bmc?.password).toBe('canary-1');
    const { object: updated } = await hosts.update({ object: { id, spec: { rack: 'r2' } }, updateMask: { paths: ['spec.rack'] } });
    expect(updated?.spec).toMatchObject({ rack: 'r2', class: made?.id });
    expect(updated?.metadata?.version).toBe(1n);
    const list = await hosts.list({ filter: `this.spec.class == "${made?.id}" && this.status.cluster == ""` });
    expect(list).toMatchObject({ size: 1, total: 1, nextCursor: '' });
    await expect(classes.delete({ id: made?.id ?? '' })).rejects.toMatchObject({ code: 'failed_precondition' });
    expect((await service.tenant('acme').client(PublicHosts).list({})).items).toEqual([]);
    await hosts.delete({ id });
    await expect(hosts.get({ id })).rejects.toMatchObject({ code: 'not_found' });
    await classes.delete({ id: made?.id ?? '' });
  });

  it('keep what the public API does not show when a mask there names what lies around it', async () => {
    const hosts = service.admin.client(Hosts);
    const spec = { rack: 'r1', serial: 's1', bmc: { user: 'root', password: 'canary-2' } };
    const { object: host } = await hosts.create({ object: { metadata: { name: 'h2', finalizers: ['f'] }, spec } });
    const id = host?.id ?? '';
    const object = { id, metadata: { name: 'h3' }, spec: { title: 'A host' } };
    await service.admin.client(PublicHosts).update({ object, updateMask: { paths: ['spec', 'metadata'] } });
    expect((await hosts.get({ id })).object).toMatchObject({
      metadata: { name: 'h3', finalizers: ['f'] },
      spec: { ...spec, title: 'A host' },
    });
  });
});
