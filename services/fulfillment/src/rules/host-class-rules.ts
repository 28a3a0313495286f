import { HostClassSchema } from '@quartermaster/api/private';
import { kindRules, unlessShort } from '@quartermaster/objects';

export const hostClassRules = kindRules(HostClassSchema, { validate: ({ title }) => unlessShort('title', title, 256) });
