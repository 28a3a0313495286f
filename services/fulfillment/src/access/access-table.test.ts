import type { DescService } from '@bufbuild/protobuf';
import * as fulfillment from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as privateApi from '@quartermaster/api/private';
import { mayCall, rightsOf } from '@quartermaster/auth';
import { describe, expect, it } from 'vitest';
import { accessTableOf } from './access-table.ts';
import { callerRoles, type Role } from './caller-roles.ts';

function servicesIn(api: object): DescService[] {
  return Object.values(api).filter((each: unknown): each is DescService => {
    return typeof each === 'object' && each !== null && 'kind' in each && each.kind === 'service';
  });
}

const services = [fulfillment, privateApi, extras].flatMap(servicesIn);
const methods = services.flatMap((service) => service.methods.map((method) => `/${service.typeName}/${method.name}`));

const tableWhere = (mayTenantsWriteHosts: boolean) => accessTableOf({ 'fulfillment-tenants-write-hosts': mayTenantsWriteHosts });
const accessTable = tableWhere(false);
const allRoles = Object.keys(callerRoles);
const rights = (role: Role): string[] => rightsOf(accessTable, role);

describe('access table', () => {
  it('has every method of every service, and no other', () => {
    expect(services.length).toBeGreaterThan(10);
    expect([...accessTable.keys()].toSorted()).toEqual(methods.toSorted());
  });

  it('closes what it does not know to everybody', () => {
    for (const role of allRoles) expect(mayCall(accessTable, role, '/private.v1.Hosts/Explode')).toBe(false);
  });

  it('lets an administrator call everything', () => {
    expect(rights('admin')).toEqual(methods.toSorted());
  });

  it('lets a provider call everything but the keys of secrets, what opens a cluster and what writes hubs', () => {
    const closed = methods.filter((method) => !mayCall(accessTable, 'provider', method));
    expect(closed).toEqual(
      methods.filter((method) => method.includes('.SecretKeys/') || revealing.test(method) || hubWriting.test(method)),
    );
  });

  it('lets a controller call the private API but for making and deleting hubs, assign hosts, and nothing of the public API', () => {
    const open = rights('controller').filter((method) => !method.startsWith('/private.v1.'));
    expect(open).toEqual([
      '/metadata.v1.Metadata/Get',
      '/quartermaster.fulfillment.v1.HostAssignments/ClaimHosts',
      '/quartermaster.fulfillment.v1.HostAssignments/ReleaseHosts',
      '/quartermaster.fulfillment.v1.HostSources/List',
      '/quartermaster.fulfillment.v1.Sessions/Get',
    ]);
    expect(rights('controller').filter((method) => method.startsWith('/private.v1.'))).toEqual(
      methods.filter((method) => method.startsWith('/private.v1.') && !/\.Hubs\/(Create|Delete)$/.test(method)).toSorted(),
    );
  });

  it('keeps tenants out of the private API and of ours but for who they are', () => {
    const open = rights('tenant').filter((method) => /^\/(private|quartermaster)\./.test(method));
    expect(open).toEqual(['/quartermaster.fulfillment.v1.Sessions/Get']);
  });

  it('lets tenants write clusters and host pools, and hosts where they were given the right', () => {
    const writes = (mayWriteHosts: boolean): string[] =>
      rightsOf(tableWhere(mayWriteHosts), 'tenant').filter((method) => /\/(Create|Update|Delete)$/.test(method));
    const changes = (service: string): string[] => ['Create', 'Delete', 'Update'].map((method) => `/fulfillment.v1.${service}/${method}`);
    expect(writes(false)).toEqual([...changes('Clusters'), ...changes('HostPools')]);
    expect(writes(true)).toEqual([...changes('Clusters'), ...changes('HostPools'), ...changes('Hosts')]);
  });

  it('lets a synchronizer read hosts and classes and apply its own', () => {
    expect(rights('sync')).toEqual([
      '/metadata.v1.Metadata/Get',
      '/private.v1.HostClasses/Get',
      '/private.v1.HostClasses/List',
      '/private.v1.Hosts/Get',
      '/private.v1.Hosts/List',
      '/quartermaster.fulfillment.v1.HostSources/ApplyHosts',
      '/quartermaster.fulfillment.v1.HostSources/List',
      '/quartermaster.fulfillment.v1.Sessions/Get',
    ]);
  });

  it('counts as writes what changes something', () => {
    const changing = [...accessTable].filter(([, { effect }]) => effect === 'write').map(([method]) => method);
    expect(changing).toEqual([...accessTable.keys()].filter((method) => writing.test(method)));
  });

  it('counts as reveals what gives out a secret', () => {
    const opening = [...accessTable].filter(([, { effect }]) => effect === 'reveal').map(([method]) => method);
    expect(opening).toEqual([...accessTable.keys()].filter((method) => revealing.test(method)));
  });
});

const writing = /\/(Create|Update|Delete|Signal|ClaimHosts|ReleaseHosts|ApplyHosts|Reencrypt)$/;
const hubWriting = /\.Hubs\/(Create|Update|Delete)$/;
const revealing = /\/Get(Kubeconfig|Password)(ViaHttp)?$/;
