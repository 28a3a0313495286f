import type { Role } from '@quartermaster/service';

const families = /^(service|operator)-(.+)$/;

/** The words of the command that runs a role: `service fulfillment` for one of a family, `discovery` for one that is its own command. */
export function roleCommand({ name }: Pick<Role, 'name'>): readonly [string, string?] {
  const [, family, member] = families.exec(name) ?? [];
  return family === undefined || member === undefined ? [name] : [family, member];
}
