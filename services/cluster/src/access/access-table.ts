import { type AccessTable, accessTable, type MethodAccess } from '@quartermaster/auth';
import { removalsAccess } from '@quartermaster/runtime/host';
import { callerRoles, type Role } from './caller-roles.ts';

const { verb, plural, group } = callerRoles.admin.right;
const wayIn = {
  reader: `it requires the role admin: the setting cluster-admins, or in the cluster the right to ${verb} ${plural}.${group}`,
};

const read: MethodAccess<Role> = { callers: ['admin', 'reader'], effect: 'read' };
const write: MethodAccess<Role> = { callers: ['admin'], effect: 'write', wayIn };
/** It changes nothing, and says of a manifest what nobody but its owner and the provider should try: which of its values are those that run. */
const preview: MethodAccess<Role> = { callers: ['admin'], effect: 'read', wayIn };

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
    'quartermaster.cluster.v1.LeaseService': {
      GetLease: read,
      ListLeases: read,
      SubmitManifest: write,
      PreviewManifest: preview,
      CloseLease: write,
      ListHostnames: read,
      ListShells: read,
      TransferHostname: write,
      TransferAddress: write,
      CollectLeftovers: write,
    },
    ...removalsAccess<Role>({ list: ['admin', 'reader'], approve: ['admin'], wayIn }),
  }),
  ...Object.values(routes).map((path) => [path, read] as const),
]);
