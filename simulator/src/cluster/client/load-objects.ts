import { isFailure, type KubeClient } from '@quartermaster/kube';

/** Objects of one kind that differ in a few fields. */
export interface SimilarObjects {
  /** A complete one, with its status. */
  readonly model: object;
  /** What each has of its own: fields of its metadata, spec and status. */
  readonly variations: readonly { readonly metadata: { readonly name: string } }[];
}

/** How many go into one request: worth it, and few enough that the server answers others in between. */
export const maxObjectsPerLoad = 2000;

/** Stores all of them with one request; what exists stays as it is. False where the server has no such way: where it is a real one. */
export async function loadObjects(client: KubeClient, load: SimilarObjects, signal: AbortSignal): Promise<boolean> {
  try {
    await client.transport.json({
      what: `load objects from ${load.variations[0]?.metadata.name ?? 'none'} on`,
      method: 'POST',
      path: '/simulator/objects',
      contentType: 'application/json',
      body: JSON.stringify(load),
      signal,
    });
    return true;
  } catch (error) {
    if (isFailure(error, 'not-found', 'kind-missing', 'forbidden')) return false;
    throw error;
  }
}
