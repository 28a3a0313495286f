import { Sessions } from '@quartermaster/api/fulfillment-extras';
import { type ServedService, serve } from '@quartermaster/rpc';
import { rightsOf } from './access-table.ts';
import { principalOf } from './principal.ts';

/** Tells a caller what the service takes it for. */
export function sessionsService({ version }: { readonly version: string }): ServedService {
  return serve(Sessions, {
    get: (_request, { identity }) => {
      const principal = principalOf(identity);
      const { name, role, visibleTenants, defaultTenants, source = '', mayReadSecrets } = principal;
      return {
        name,
        role,
        tenants: visibleTenants === 'all' ? ['*'] : [...visibleTenants],
        rights: rightsOf(principal),
        version,
        defaultTenants: [...defaultTenants],
        mayReadSecrets,
        source,
      };
    },
  });
}
