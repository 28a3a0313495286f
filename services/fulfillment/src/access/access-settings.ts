import { accessShape as sharedShape } from '@quartermaster/auth/settings';
import * as z from 'zod';
import { callerRoles } from './caller-roles.ts';

/** What the service can be told of who may call it. Part of its settings. */
export const accessShape = {
  ...sharedShape('fulfillment', callerRoles),
  'fulfillment-tenants-write-hosts': z
    .boolean()
    .default(false)
    .meta({ reloadable: true })
    .describe('Whether tenants may change the hosts of their clusters through the public API.'),
};

export type AccessSettings = z.output<z.ZodObject<typeof accessShape>>;
