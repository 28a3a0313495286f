/**
 * Why a host cannot be given to a node set, as `HostAssignments` answers it. A host counts once, for the first that applies in this order:
 * it is another class's, going away, somebody's, or not fit.
 */
export const refusalReasons = [
  'OTHER_CLASS',
  'DELETED',
  'ASSIGNED',
  'IN_POOL',
  'FAILED',
  'IN_PROGRESS',
  'OTHER_HUB',
  'CONFLICT',
  'NO_BMC',
  'NO_BOOT_MAC',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];
