/** Where a page signs in, out, and learns who it is: `POST`, `DELETE` and `GET`. */
export const sessionPath = '/api/session';

/** Only the console's own pages can set it: a form or an image of another site cannot. Its value is the key of the session, or anything before there is one. */
export const consoleHeader = 'x-quartermaster-console';

/** What a service makes of a caller. Those that know no tenants and rights leave them empty. */
export interface CallerFacts {
  readonly name: string;
  readonly role: string;
  /** Whose objects the caller sees. `*`: everybody's. */
  readonly tenants: readonly string[];
  /** Methods that the caller may call: `/private.v1.Hosts/Update`. */
  readonly rights: readonly string[];
  readonly version: string;
  readonly default_tenants: readonly string[];
  readonly may_read_secrets: boolean;
  /** Whether the word of any service makes the caller one of those who run the installation, whatever the first one calls it. */
  readonly is_staff?: boolean | undefined;
}

/** Roles of those who run the installation: they see what it is made of. */
export const runningRoles: readonly string[] = ['admin', 'provider', 'reader'];

export const isStaffRole = (role: string): boolean => runningRoles.includes(role);
