import { type AccessTable, accessTable, type MethodAccess } from '@quartermaster/auth';
import { callerRoles, type Role } from './caller-roles.ts';

const { verb, plural, group } = callerRoles.admin.right;
const wayIn = {
  reader: `it requires the role admin: the setting cluster-admins, or in the cluster the right to ${verb} ${plural}.${group}`,
};

const read: MethodAccess<Role> = { callers: ['admin', 'reader'], effect: 'read' };
const write: MethodAccess<Role> = { callers: ['admin'], effect: 'write', wayIn };

/** What is served beside the methods of the contract, by its path. */
export const routes = { session: '/v1/session', metrics: '/metrics' } as const;

/** Every method and path that the service has, and who may call it. What is not in it is closed to everybody. */
export const clusterAccess: AccessTable = new Map([
  ...accessTable({
    'quartermaster.cluster.v1.ReservationService': {
      Reserve: write,
      Unreserve: write,
      GetReservation: read,
      ListReservations: read,
      GetStatus: read,
      CheckFit: read,
      ExplainFit: read,
    },
    'quartermaster.cluster.v1.BidService': { GetBidDecision: read, ListBidDecisions: read, GetBidStatus: read },
  }),
  ...Object.values(routes).map((path) => [path, read] as const),
]);
