import { StatusError } from '@quartermaster/kernel';
import { ApiConnection } from '../fulfillment/objects/api-connection.ts';
import { using } from '../server/server-connection.ts';

interface Acting<T> {
  /** Account of the deployment. */
  readonly owner: string;
  /** Is told whose token is used instead of the administrator's. */
  readonly tell: (line: string) => void;
  readonly work: (connection: ApiConnection) => Promise<T>;
}

/** Works as the owner where the running `up` has a token of that tenant, else as whoever asks. */
export async function actAsTenant<T>(connection: ApiConnection, { owner, tell, work }: Acting<T>): Promise<T> {
  const { tenants, ...server } = connection.server;
  const tenant = tenants?.find(({ name }) => name === owner);
  if (tenant === undefined) return await work(connection);
  tell(`As tenant ${owner}.\n`);
  return await using(new ApiConnection({ ...server, token: tenant.token }, {}, 'market'), work);
}

/** A refusal of who is not the tenant, with the way in. */
export function onlyTheTenant(thrown: unknown, deployment: string): unknown {
  if (!(thrown instanceof StatusError) || thrown.code !== 'permission_denied') return thrown;
  const way = "run this with the tenant's login or --token-file";
  return new StatusError('permission_denied', `only the tenant of deployment ${deployment} may update it: ${way}`, { cause: thrown });
}
