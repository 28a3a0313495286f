import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { messageOf } from '@quartermaster/kernel';
import { isReported } from '../fulfillment/kinds/delivery-text.ts';
import type { ApiConnection } from '../fulfillment/objects/api-connection.ts';
import type { LiveStatus } from '../gateway/live-services.ts';
import { textAt, valueAt } from '../text/json-path.ts';
import { noGateway, signedClient } from './lease-access.ts';

const patienceMs = 5_000;

/** Asks the gateway of a lease. Undefined where there is nothing to ask: the lease is over, or its provider has said nothing at all. Never throws. */
export async function liveStatus(connection: ApiConnection, lease: JsonObject, signal: AbortSignal): Promise<LiveStatus | undefined> {
  if (marketState(lease).word !== 'Active' || !isReported(lease)) return undefined;
  if (valueAt(lease, 'status.delivery.gateway') === undefined) return { problem: noGateway(lease) };
  const [dseq, gseq, oseq] = ['dseq', 'gseq', 'oseq'].map((part) => textAt(lease, `spec.order.${part}`));
  try {
    const client = await signedClient(connection, lease, { scopes: ['status'] }, () => {}).catch((thrown: unknown) => {
      throw connection.explained(thrown);
    });
    return { body: await client.get(`/lease/${dseq}/${gseq}/${oseq}/status`, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])) };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}
