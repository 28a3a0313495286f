import { type CallerRoles, sharedTenant } from '@quartermaster/auth/settings';

/**
 * What a caller is to the service. `admin` may do everything; `controller` is a program that provisions, and is shown secrets without asking, as the released ones
 * expect; `provider` runs the datacenter and opens no secrets; `sync` brings in the hosts of one source; `tenant` uses the public API for what belongs to it.
 */
export const callerRoles = {
  admin: {
    setting: {
      name: 'admins',
      description: 'Who may do everything: user:, group:, serviceaccount:NAMESPACE/NAME, certificate:, organization:.',
      defaultHolders: ['group:admins'],
    },
    tenants: 'all',
    mayReadSecrets: true,
  },
  controller: {
    setting: {
      name: 'controllers',
      description: 'Programs that provision clusters and hosts: the private API, whose Get shows them secrets without being asked to.',
    },
    tenants: 'all',
    mayReadSecrets: true,
    readsSecretsUnasked: true,
  },
  provider: {
    setting: { name: 'providers', description: 'Who runs the datacenter: the private API, without opening secrets.' },
    tenants: 'all',
  },
  sync: {
    setting: {
      name: 'sources',
      description: 'Who brings in the hosts of which source: SUBJECT=SOURCE, such as certificate:sync-bcm=bcm.',
    },
    tenants: 'all',
    assignableTenants: [sharedTenant],
    hasSource: true,
  },
  // Pods of a lease may have a token of the cluster, and run what its owner likes.
  tenant: { tenants: 'own', tenantlessNamespaces: ['lease-*'] },
} as const satisfies CallerRoles;

export type Role = keyof typeof callerRoles;
