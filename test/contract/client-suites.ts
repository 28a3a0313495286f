import { describeAdmissionPolicies } from './admission-policies.ts';
import { describeApply } from './client-apply.ts';
import { describeCredentials } from './client-credentials.ts';
import { describeCustomResources } from './client-custom-resources.ts';
import { describeDefinitions } from './client-definitions.ts';
import { describeDeletion } from './client-deletion.ts';
import { describeDiscovery } from './client-discovery.ts';
import { describeGatedPods } from './client-gated-pods.ts';
import { describeLists } from './client-lists.ts';
import { describeNamespaces } from './client-namespaces.ts';
import { describeObjects } from './client-objects.ts';
import { describeOddBodies } from './client-odd-bodies.ts';
import { describePatches } from './client-patches.ts';
import { describeRefusals } from './client-refusals.ts';
import { describeServices } from './client-services.ts';
import { describeSubresources } from './client-subresources.ts';
import { describeTransport } from './client-transport.ts';
import type { ContractServer } from './contract-server.ts';

/** What the client may expect of an API server. */
export function describeClient(server: () => ContractServer): void {
  describeObjects(server);
  describeRefusals(server);
  describeLists(server);
  describePatches(server);
  describeOddBodies(server);
  describeApply(server);
  describeDeletion(server);
  describeNamespaces(server);
  describeServices(server);
  describeGatedPods(server);
  describeCustomResources(server);
  describeDefinitions(server);
  describeAdmissionPolicies(server);
  describeSubresources(server);
  describeDiscovery(server);
  describeTransport(server);
  describeCredentials(server);
}
