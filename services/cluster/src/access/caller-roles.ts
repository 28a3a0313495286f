import { reservationType } from '@quartermaster/api/reservation';
import type { CallerRoles } from '@quartermaster/auth/settings';

const { group, plural } = reservationType;

/**
 * What a caller is to the service. `reader` sees what is there and what is promised; `admin` also promises, gives back, and changes and ends leases. There is no role for everybody: a tenant
 * orders at the market. In the cluster the first comes with the right to read the objects, the second with the right to `reserve` them. Objects themselves are
 * written by the service alone, so that no right to write them gives a role, or is needed for one.
 */
export const callerRoles = {
  admin: {
    setting: {
      name: 'admins',
      description:
        'Who may read everything, reserve and unreserve, change and close leases: user:, group:, serviceaccount:NAMESPACE/NAME, certificate:, organization:. Besides these, service accounts that may reserve reservations.quartermaster.dev.',
      defaultHolders: ['group:admins'],
    },
    tenants: 'all',
    right: { verb: 'reserve', group, plural },
    alsoFor: ['provider'],
  },
  reader: {
    setting: {
      name: 'readers',
      description: 'Who may read everything. Besides these, service accounts that may get reservations.quartermaster.dev.',
    },
    tenants: 'all',
    right: { verb: 'get', group, plural },
  },
} as const satisfies CallerRoles;

export type Role = keyof typeof callerRoles;
