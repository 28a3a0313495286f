import { type KubeClient, type KubeObject, keyText, type ResourceType, refOf } from '@quartermaster/kube';

/** What the server holds, as `key@resourceVersion`, sorted: to be compared with a ledger's versions. */
export async function serverVersions(client: KubeClient, type: ResourceType, namespace: string): Promise<string[]> {
  const versions: string[] = [];
  for await (const page of client.pages<KubeObject>(type, { namespace })) {
    for (const item of page.items) versions.push(`${keyText(refOf(item))}@${item.metadata?.resourceVersion}`);
  }
  return versions.sort();
}
