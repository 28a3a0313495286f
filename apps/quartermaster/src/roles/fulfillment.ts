import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { outgoingTraceHeaders } from '@quartermaster/service';
import { version } from '../version.ts';
import { sharedFulfillment } from './shared-keys.ts';

/** The fulfillment service. Service accounts that call it are those of the cluster that it runs in. */
export const fulfillment = fulfillmentRole({
  version,
  connect: async () => {
    const { KubeClient } = await import('@quartermaster/kube');
    const client = await KubeClient.connect({ userAgent: `quartermaster-fulfillment/${version}`, traceHeaders: outgoingTraceHeaders });
    return { client, close: () => client.close() };
  },
  started: (_fulfillment, { grpcAddress, restUrl }, { shared }) =>
    shared.find(sharedFulfillment)?.put({ grpc: grpcAddress, rest: restUrl }),
});
