import { accessShape as sharedShape } from '@quartermaster/auth/settings';
import type * as z from 'zod';
import { callerRoles } from './caller-roles.ts';

/** What the service can be told of who may call it. Part of its settings. */
export const accessShape = sharedShape('market', callerRoles);

export type AccessSettings = z.output<z.ZodObject<typeof accessShape>>;
