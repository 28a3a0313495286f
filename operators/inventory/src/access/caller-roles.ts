import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import type { CallerRoles } from '@quartermaster/auth/settings';

const { group } = nodeHardwareType;

/**
 * What a caller is to the inventory. `reader` sees all of it; `admin` also approves removals. There is no role for everybody: who is given none reads nothing. In the
 * cluster a right on `inventories` gives the first, though no such objects exist, and the right to delete what a removal deletes gives the second.
 */
export const callerRoles = {
  admin: {
    setting: {
      name: 'admins',
      description:
        'Who may read everything and approve removals: user:, group:, serviceaccount:NAMESPACE/NAME, certificate:, organization:. Besides these, service accounts that may delete nodehardwares.quartermaster.dev.',
      defaultHolders: ['group:admins'],
    },
    tenants: 'all',
    right: { verb: 'delete', group, plural: nodeHardwareType.plural },
  },
  reader: {
    setting: {
      name: 'readers',
      description: 'Who may read everything. Besides these, service accounts that may get inventories.quartermaster.dev.',
    },
    tenants: 'all',
    right: { verb: 'get', group, plural: 'inventories' },
    alsoFor: ['provider'],
  },
} as const satisfies CallerRoles;

export type Role = keyof typeof callerRoles;
