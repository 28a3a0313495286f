import type { ReservedField } from '@quartermaster/objects';

/** A hub is sent the secrets of what it provisions. */
export const reservedHub: ReservedField = {
  field: 'status.hub',
  roles: ['admin', 'controller'],
  why: 'the hub is sent the secrets of what it provisions, so controllers choose it; ask an administrator to set another one',
};
