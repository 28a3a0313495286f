import type { CallContext } from '@quartermaster/rpc';
import { type AccessTable, rightsOf } from './access-table.ts';
import { principalOf } from './principal.ts';

export interface SessionsOptions {
  readonly version: string;
  /** The methods that are served, as of now. */
  readonly table: () => AccessTable;
}

/** Tells a caller what the service takes it for. */
export function sessionHandlers({ version, table }: SessionsOptions) {
  return {
    get: (_request: object, { identity }: CallContext) => {
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
  };
}
