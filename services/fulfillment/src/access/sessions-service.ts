import { Sessions } from '@quartermaster/api/fulfillment-extras';
import { type AccessTable, principalOf, rightsOf } from '@quartermaster/auth';
import { type ServedService, serve } from '@quartermaster/rpc';

export interface SessionsOptions {
  readonly version: string;
  /** The methods that are served, as of now. */
  readonly table: () => AccessTable;
}

/** Tells a caller what the service takes it for. */
export function sessionsService({ version, table }: SessionsOptions): ServedService {
  return serve(Sessions, {
    get: (_request, { identity }) => {
      const { name, role, visibleTenants, defaultTenants, source = '', mayReadSecrets } = principalOf(identity);
      return {
        name,
        role,
        tenants: visibleTenants === 'all' ? ['*'] : [...visibleTenants],
        rights: rightsOf(table(), role),
        version,
        defaultTenants: [...defaultTenants],
        mayReadSecrets,
        source,
      };
    },
  });
}
