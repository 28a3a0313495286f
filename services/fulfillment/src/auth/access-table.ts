import type { Principal, Role } from './principal.ts';

/** Who may call a method, and whether a refusal is worth an entry in the audit log. */
export interface MethodAccess {
  /** `anyone` needs no identity. */
  readonly callers: 'anyone' | readonly Role[];
  readonly effect: 'read' | 'write';
  /** Only for those that may write hosts. Tenants may where the settings say so. */
  readonly isHostWrite?: boolean;
}

const everybody: readonly Role[] = ['admin', 'provider', 'sync', 'tenant'];
const users: readonly Role[] = ['admin', 'provider', 'tenant'];
const staff: readonly Role[] = ['admin', 'provider'];
const staffAndSync: readonly Role[] = ['admin', 'provider', 'sync'];
const administrators: readonly Role[] = ['admin'];

const read = (callers: MethodAccess['callers']): MethodAccess => ({ callers, effect: 'read' });
const write = (callers: MethodAccess['callers']): MethodAccess => ({ callers, effect: 'write' });
const hostWrite: MethodAccess = { callers: users, effect: 'write', isHostWrite: true };

type Rows = Readonly<Record<string, MethodAccess>>; // method -> access

const reads = (callers: readonly Role[]): Rows => ({ List: read(callers), Get: read(callers) });
const writes = (access: MethodAccess): Rows => ({ Create: access, Update: access, Delete: access });
const privateKind = (readers: readonly Role[]): Rows => ({ ...reads(readers), ...writes(write(staff)), Signal: write(staff) });

// service -> its methods
const services: Readonly<Record<string, Rows>> = {
  'metadata.v1.Metadata': { Get: read('anyone') },

  'fulfillment.v1.ClusterTemplates': { ...reads(users), ...writes(write(staff)) },
  'fulfillment.v1.Clusters': {
    ...reads(users),
    ...writes(write(users)),
    GetKubeconfig: read(users),
    GetKubeconfigViaHttp: read(users),
    GetPassword: read(users),
    GetPasswordViaHttp: read(users),
  },
  'fulfillment.v1.HostClasses': { ...reads(users), ...writes(write(staff)) },
  'fulfillment.v1.HostPools': { ...reads(users), ...writes(write(users)) },
  'fulfillment.v1.Hosts': { ...reads(users), ...writes(hostWrite) },
  'events.v1.Events': { Watch: read(users) },

  'private.v1.ClusterTemplates': privateKind(staff),
  'private.v1.Clusters': privateKind(staff),
  'private.v1.HostClasses': privateKind(staffAndSync),
  'private.v1.HostPools': privateKind(staff),
  'private.v1.Hosts': privateKind(staffAndSync),
  'private.v1.Hubs': privateKind(staff),
  'private.v1.Events': { Watch: read(staff) },

  'quartermaster.fulfillment.v1.HostAssignments': { ClaimHosts: write(staff), ReleaseHosts: write(staff) },
  'quartermaster.fulfillment.v1.HostSources': { ApplyHosts: write(staffAndSync), List: read(staffAndSync) },
  'quartermaster.fulfillment.v1.Audit': { List: read(staff) },
  'quartermaster.fulfillment.v1.Sessions': { Get: read(everybody) },
  'quartermaster.fulfillment.v1.SecretKeys': { Status: read(administrators), Reencrypt: write(administrators) },
};

/** Every method that the service serves: `/package.Service/Method` -> who may call it. */
export const accessTable: ReadonlyMap<string, MethodAccess> = new Map(
  Object.entries(services).flatMap(([service, methods]) =>
    Object.entries(methods).map(([method, access]) => [`/${service}/${method}`, access] as const),
  ),
);

/** Whether the principal may call the method at all. Which objects it meets there is a matter of tenants. A method that is not in the table is closed. */
export function mayCall(principal: Pick<Principal, 'role' | 'mayWriteHosts'>, method: string): boolean {
  const access = accessTable.get(method);
  if (access === undefined) return false;
  if (access.callers === 'anyone') return true;
  if (!access.callers.includes(principal.role)) return false;
  return access.isHostWrite !== true || principal.mayWriteHosts;
}

/** Every method that the principal may call, sorted. */
export function rightsOf(principal: Pick<Principal, 'role' | 'mayWriteHosts'>): string[] {
  return [...accessTable.keys()].filter((method) => mayCall(principal, method)).toSorted();
}
