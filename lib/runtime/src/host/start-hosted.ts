import type { ConfigDefinition, ConfigValues, RoleContext, RoleHandle } from '@quartermaster/service';
import type { RoleNeeds } from '../declaration/role-needs.ts';
import type { StartRole } from './role-body.ts';
import { RoleHost } from './role-host.ts';

export interface HostedRole<C extends ConfigValues> {
  readonly declaration: RoleNeeds;
  /** Its own settings. */
  readonly own: ConfigDefinition<C>;
  readonly start: StartRole<C>;
}

/** Starts every part of a role, or none: what was started before a failure is stopped again, the last one first. */
export async function startHosted<C extends ConfigValues>(role: HostedRole<C>, context: RoleContext): Promise<RoleHandle> {
  const host = new RoleHost(role.declaration, role.own, context);
  try {
    const body = await role.start(host);
    await host.begin();
    return {
      ready: async (signal) => await body.ready?.(signal),
      stop: async () => await host.stop(),
      status: () => ({ ...host.status(), ...body.status?.() }),
    };
  } catch (thrown) {
    await host.stop();
    throw thrown;
  }
}
