/** Where a page signs in, out, and learns who it is: `POST`, `DELETE` and `GET`. */
export const sessionPath = '/api/session';

/** Only the console's own pages can set it: a form or an image of another site cannot. */
export const consoleHeader = 'x-quartermaster-console';

/** What the fulfillment service makes of a caller. */
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
}

/** Who looks at the console. */
export interface SessionAnswer {
  /** `none`: this console has no fulfillment service. `local`: nobody signed in, the installation itself looks. `token`: somebody signed in. */
  readonly kind: 'none' | 'local' | 'token';
  /** Undefined while the service does not answer, or there is none. */
  readonly caller?: CallerFacts | undefined;
  /** Of who signed in, or of the installation: known even while the service is away. */
  readonly role: string;
  /** Why there is no caller. */
  readonly problem?: string | undefined;
}

/** Those who run the installation: they see what it is made of. */
export const isStaffRole = (role: string): boolean => role === 'admin' || role === 'provider';
