import { type Clock, sleep } from '@quartermaster/kernel';
import { apiVersionOf, type DiscoveredResource, discover, type KubeClient, type KubeObject } from '@quartermaster/kube';

const fieldManager = 'quartermaster-up';
const lookAgainMs = 100;

/**
 * Applies objects of any kind in their order. Those of kinds that the server does not know are left out and returned: a simulated cluster has no
 * admission policies.
 */
export async function applyManifests(
  client: KubeClient,
  objects: readonly KubeObject[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  const skipped: KubeObject[] = [];
  let served = await discover(client.transport, { signal });
  for (const object of objects) {
    const type = served.find((each) => apiVersionOf(each) === object.apiVersion && each.kind === object.kind);
    if (type === undefined) {
      skipped.push(object);
      continue;
    }
    await client.apply(type, object, { fieldManager, force: true, signal });
    if (object.kind === 'CustomResourceDefinition') served = await whenServed(client, object.metadata?.name ?? '', { clock, signal });
  }
  return skipped;
}

/** A definition that was accepted is served a moment later. Its name is that of the kind's plural and group. */
async function whenServed(
  client: KubeClient,
  name: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly DiscoveredResource[]> {
  for (;;) {
    const served = await discover(client.transport, { signal });
    if (served.some(({ plural, group }) => `${plural}.${group}` === name)) return served;
    await sleep(clock, lookAgainMs, signal);
  }
}
