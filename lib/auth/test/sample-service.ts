import * as z from 'zod';
import type { AccessPolicy } from '../src/access-policy.ts';
import { type AccessSettings, accessPolicyOf, accessShape } from '../src/access-settings.ts';
import { accessTable } from '../src/access-table.ts';
import type { CallerRoles } from '../src/caller-role.ts';
import { sharedTenant } from '../src/tenancy.ts';

export const service = 'sample';

/** One role of every form that a service can declare. */
export const roles = {
  admin: { setting: { name: 'admins', description: 'd', defaultHolders: ['group:admins'] }, tenants: 'all', mayReadSecrets: true },
  provider: { setting: { name: 'providers', description: 'd' }, tenants: 'all' },
  sync: { setting: { name: 'sources', description: 'd' }, tenants: 'all', assignableTenants: [sharedTenant], hasSource: true },
  tenant: { tenants: 'own', tenantlessNamespaces: ['lodgers', 'lodger-*'] },
} as const satisfies CallerRoles;

export const things = { list: '/private.v1.Things/List', delete: '/private.v1.Things/Delete' } as const;
export const offers = { list: '/public.v1.Offers/List', update: '/public.v1.Offers/Update' } as const;

export const table = accessTable({
  'public.v1.Metadata': { Get: { callers: 'anyone', effect: 'read' } },
  'public.v1.Offers': {
    List: { callers: ['admin', 'provider', 'tenant'], effect: 'read' },
    Update: { callers: ['admin'], effect: 'write', wayIn: { tenant: 'an administrator can allow it with sample-tenants-write' } },
  },
  'private.v1.Things': {
    List: { callers: ['admin', 'provider', 'sync'], effect: 'read' },
    Delete: { callers: ['admin', 'provider'], effect: 'write' },
  },
});

const schema = z.object(accessShape(service, roles));

export const settingsOf = (values: object): AccessSettings => schema.parse(values);

export const policyOf = (values: object): AccessPolicy => accessPolicyOf(service, roles, settingsOf(values));
