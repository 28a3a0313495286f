import type { CallerRoles } from '@quartermaster/auth/settings';

/**
 * What a caller is to the market. `admin` may do everything but read what tenants deploy; `operator` looks after the market; `provider` bids for one account; `tenant` deploys. A
 * tenant's SDL is opened by the tenant alone, so no role opens secrets.
 */
export const callerRoles = {
  admin: {
    setting: {
      name: 'admins',
      description: 'Who may do everything: user:, group:, serviceaccount:NAMESPACE/NAME, certificate:, organization:.',
      defaultHolders: ['group:admins'],
    },
    tenants: 'all',
  },
  operator: {
    setting: { name: 'operators', description: 'Who looks after the market: sees everything but SDL, and closes deployments.' },
    tenants: 'all',
  },
  provider: {
    setting: {
      name: 'providers',
      description: 'Who bids for which account: SUBJECT=ACCOUNT, such as certificate:cluster-1=provider-1.',
    },
    tenants: 'all',
    assignableTenants: [],
    hasSource: true,
  },
  // Pods of a lease may have a token of the cluster, and run what its owner likes.
  tenant: { tenants: 'own', tenantlessNamespaces: ['lease-*'] },
} as const satisfies CallerRoles;

export type Role = keyof typeof callerRoles;
