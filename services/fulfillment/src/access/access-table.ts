import { type AccessTable, accessTable, type MethodAccess } from '@quartermaster/auth';
import type { AccessSettings } from './access-settings.ts';
import type { Role } from './caller-roles.ts';

const everybody: readonly Role[] = ['admin', 'controller', 'provider', 'sync', 'tenant'];
const users: readonly Role[] = ['admin', 'provider', 'tenant'];
const staff: readonly Role[] = ['admin', 'provider'];
const operators: readonly Role[] = [...staff, 'controller'];
const operatorsAndSync: readonly Role[] = [...operators, 'sync'];
const administrators: readonly Role[] = ['admin'];

const read = (callers: MethodAccess<Role>['callers']): MethodAccess<Role> => ({ callers, effect: 'read' });
const write = (callers: MethodAccess<Role>['callers']): MethodAccess<Role> => ({ callers, effect: 'write' });

type Rows = Readonly<Record<string, MethodAccess<Role>>>; // method -> access

const reads = (callers: readonly Role[]): Rows => ({ List: read(callers), Get: read(callers) });
const writes = (access: MethodAccess<Role>): Rows => ({ Create: access, Update: access, Delete: access });
const privateKind = (readers: readonly Role[]): Rows => ({ ...reads(readers), ...writes(write(operators)), Signal: write(operators) });

/**
 * Whoever names the cluster that a hub is has every BMC password and pull secret sent there, so hubs are written by administrators. Controllers update them, without the
 * fields that say where it is.
 */
const hubsWayIn = { provider: 'hubs are written by administrators; ask one of them' };
const hubs: Rows = {
  ...reads(operators),
  ...writes({ ...write(administrators), wayIn: hubsWayIn }),
  Update: { ...write(['admin', 'controller']), wayIn: hubsWayIn },
  Signal: write(operators),
};

/** What opens a cluster: for those who own it, and not for those who run the hosts below it. */
const credentials: MethodAccess<Role> = {
  callers: ['admin', 'tenant'],
  effect: 'reveal',
  wayIn: { provider: 'the credentials of a cluster are for the tenants that own it; ask one of them, or an administrator' },
};

// service -> its methods
const services = {
  'metadata.v1.Metadata': { Get: read('anyone') },

  'fulfillment.v1.ClusterTemplates': { ...reads(users), ...writes(write(staff)) },
  'fulfillment.v1.Clusters': {
    ...reads(users),
    ...writes(write(users)),
    GetKubeconfig: credentials,
    GetKubeconfigViaHttp: credentials,
    GetPassword: credentials,
    GetPasswordViaHttp: credentials,
  },
  'fulfillment.v1.HostClasses': { ...reads(users), ...writes(write(staff)) },
  'fulfillment.v1.HostPools': { ...reads(users), ...writes(write(users)) },
  'events.v1.Events': { Watch: read(users) },

  'private.v1.ClusterTemplates': privateKind(operators),
  'private.v1.Clusters': privateKind(operators),
  'private.v1.HostClasses': privateKind(operatorsAndSync),
  'private.v1.HostPools': privateKind(operators),
  'private.v1.Hosts': privateKind(operatorsAndSync),
  'private.v1.Hubs': hubs,
  'private.v1.Events': { Watch: read(operators) },

  'quartermaster.fulfillment.v1.HostAssignments': { ClaimHosts: write(operators), ReleaseHosts: write(operators) },
  'quartermaster.fulfillment.v1.HostSources': { ApplyHosts: write([...staff, 'sync']), List: read(operatorsAndSync) },
  'quartermaster.fulfillment.v1.Audit': { List: read(staff) },
  'quartermaster.fulfillment.v1.Sessions': { Get: read(everybody) },
  'quartermaster.fulfillment.v1.SecretKeys': { Status: read(administrators), Reencrypt: write(administrators) },
} satisfies Readonly<Record<string, Rows>>;

/** Tenants write the hosts of their clusters only where the settings say so. */
const openHosts: Rows = { ...reads(users), ...writes(write(users)) };
const closedHosts: Rows = {
  ...reads(users),
  ...writes({ ...write(staff), wayIn: { tenant: 'an administrator can allow it with fulfillment-tenants-write-hosts' } }),
};

/** Every method that the service serves, and who may call it. */
export function accessTableOf(settings: Pick<AccessSettings, 'fulfillment-tenants-write-hosts'>): AccessTable {
  return accessTable({ ...services, 'fulfillment.v1.Hosts': settings['fulfillment-tenants-write-hosts'] ? openHosts : closedHosts });
}
