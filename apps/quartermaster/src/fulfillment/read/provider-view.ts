import type { JsonObject } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import type { Kind } from '../kinds/kind.ts';
import type { ApiConnection } from '../objects/api-connection.ts';

/** The line that points to what the provider itself says of these, or of this one. Tenants, who cannot ask there, get none. */
export async function providerNote(connection: ApiConnection, kind: Kind, object?: JsonObject): Promise<string | undefined> {
  if (kind.providerView === undefined || (await connection.session())?.role === 'tenant') return undefined;
  return `${kind.providerView(object)}.`;
}

/** A refusal of who may not see them here, with where a provider does. */
export function orProviderView(thrown: unknown, kind: Kind): unknown {
  if (kind.providerView === undefined || !(thrown instanceof StatusError) || thrown.code !== 'permission_denied') return thrown;
  return new StatusError(thrown.code, `${thrown.message}; ${kind.providerView()}`, { cause: thrown });
}
