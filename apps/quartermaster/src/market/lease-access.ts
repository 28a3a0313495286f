import type { JsonObject } from '@bufbuild/protobuf';
import { Leases } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import { type ApiConnection, withApi } from '../fulfillment/objects/api-connection.ts';
import { objectJson } from '../fulfillment/objects/object-json.ts';
import { GatewayClient } from '../gateway/gateway-client.ts';
import type { GatewayAccess } from '../gateway/read-stream.ts';
import { contentIfNamed, contentOf } from '../server/content-of.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { textAt } from '../text/json-path.ts';
import { actAsTenant } from './act-as-tenant.ts';
import { findLease } from './find-lease.ts';

export interface GatewayFlags extends ServerFlags {
  /** Asked with credentials of one's own; no market is. */
  readonly gateway?: string | undefined;
  readonly certificateFile?: string | undefined;
  readonly gatewayCaFile?: string | undefined;
}

export type Scope = 'send-manifest' | 'logs' | 'shell' | 'events' | 'status';

export interface Rights {
  readonly scopes: readonly Scope[];
  /** Default all. */
  readonly services?: readonly string[] | undefined;
}

export interface LeaseAccess extends GatewayAccess {
  readonly lease: string;
}

const lifetimeS = 15 * 60;
/** A shell cannot be joined again, and ends with its token. */
const shellLifetimeS = 12 * 60 * 60;
const renewAfterMs = (lifetimeS - 60) * 1000;

/** What opens access to the lease that is called so, each time with a new token. `tell` gets what is to be known of it, once. */
export function leaseAccess(flags: GatewayFlags, name: string, rights: Rights, tell: (line: string) => void): () => Promise<LeaseAccess> {
  if (isOwn(flags)) return async () => ({ lease: name, path: `/lease/${numbersOf(name)}`, client: ownClient(flags) });
  let known = name;
  let tellOnce = tell;
  const work = async (connection: ApiConnection): Promise<LeaseAccess> => {
    const { api, found } = await findLease(connection, known).catch((thrown: unknown) => {
      throw tenantsAlone(thrown, known);
    });
    // A deployment may have another lease later.
    known = found.id;
    const lease = objectJson(api.schema, found);
    const [dseq, gseq, oseq] = ['dseq', 'gseq', 'oseq'].map((part) => textAt(lease, `spec.order.${part}`));
    const client = await signedClient(connection, lease, rights, tellOnce);
    tellOnce = () => {};
    return { lease: known, path: `/lease/${dseq}/${gseq}/${oseq}`, client, renewAfterMs };
  };
  return async () => await withApi(flags, work, 'market');
}

/** Asks the gateway of a lease with a token that the market signs, as its tenant where that can be. */
export async function signedClient(
  connection: ApiConnection,
  lease: JsonObject,
  { scopes, services = [] }: Rights,
  tell: (line: string) => void,
): Promise<GatewayClient> {
  const id = textAt(lease, 'id');
  const seconds = BigInt(scopes.includes('shell') ? shellLifetimeS : lifetimeS);
  const request = { id, scopes: [...scopes], services: [...services], lifetime: { seconds } };
  const work = async (acting: ApiConnection) => await acting.client(Leases).createToken(request);
  const { token, gateway } = await actAsTenant(connection, { owner: textAt(lease, 'spec.order.owner'), tell, work }).catch(
    (thrown: unknown) => {
      throw tenantsAlone(thrown, id);
    },
  );
  if (gateway === undefined) throw new StatusError('failed_precondition', `${noGateway(lease)}: ask again once it has`);
  const { uri, certificateAuthority } = gateway;
  return new GatewayClient({ uri, ca: certificateAuthority === '' ? undefined : certificateAuthority, token });
}

export const noGateway = (lease: JsonObject): string => `the provider of lease ${textAt(lease, 'id')} has not reported a gateway`;

/** Whether the caller names the gateway, with credentials of its own. */
export function isOwn({ gateway, certificateFile, gatewayCaFile }: GatewayFlags): boolean {
  if (gateway === undefined && (certificateFile ?? gatewayCaFile) !== undefined) {
    throw new StatusError(
      'invalid_argument',
      '--certificate-file and --gateway-ca-file are for a gateway of your choice: name it with --gateway',
    );
  }
  return gateway !== undefined;
}

/** With what the flags name. Files are read again each time. */
export function ownClient(flags: GatewayFlags): GatewayClient {
  const { gateway: uri = '', gatewayCaFile, certificateFile, keyFile, tokenFile } = flags;
  const foreign = (['server', 'context', 'dataDir', 'caFile', 'certFile', 'tlsServerName', 'insecureSkipTlsVerify'] as const).find(
    (flag) => flags[flag] !== undefined,
  );
  if (foreign !== undefined) {
    const flag = foreign.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new StatusError('invalid_argument', `--${flag} is about the market, which is not asked with --gateway: leave one of them out`);
  }
  const hasPair = certificateFile !== undefined && keyFile !== undefined;
  if (hasPair === (tokenFile !== undefined) || (certificateFile === undefined) !== (keyFile === undefined)) {
    throw new StatusError('invalid_argument', '--gateway needs either --certificate-file with --key-file, or --token-file');
  }
  const ca = gatewayCaFile === undefined ? undefined : contentOf(gatewayCaFile, '--gateway-ca-file');
  const token = contentIfNamed(tokenFile, '--token-file');
  const [cert, key] = [contentIfNamed(certificateFile, '--certificate-file'), contentIfNamed(keyFile, '--key-file')];
  return new GatewayClient({ uri, ca, token, cert, key });
}

function numbersOf(name: string): string {
  if (/^\d+\/\d+\/\d+$/.test(name)) return name;
  throw new StatusError('invalid_argument', `with --gateway a lease is DSEQ/GSEQ/OSEQ, such as 7/1/1, and not "${name}"`);
}

/** A refusal of who is not the tenant, with the way in. */
function tenantsAlone(thrown: unknown, lease: string): unknown {
  if (!(thrown instanceof StatusError) || thrown.code !== 'permission_denied') return thrown;
  const way = `run this with the tenant's login or --token-file; providers see what runs with "quartermaster get running-leases"`;
  return new StatusError('permission_denied', `logs, shells and events of lease ${lease} are for its tenant alone: ${way}`, {
    cause: thrown,
  });
}
