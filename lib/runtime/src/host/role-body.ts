import type { ConfigValues } from '@quartermaster/service';
import type { RoleHost } from './role-host.ts';

/** Starts the work of a role on what the host brings. What it leaves with `host.keep` is stopped in reverse, also when this throws. */
export type StartRole<C extends ConfigValues> = (host: RoleHost<C>) => Promise<RoleBody> | RoleBody;

export interface RoleBody {
  /** Resolves when the role is of use. At once unless given. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Facts for people, besides those of the host's parts. */
  status?(): object;
}
