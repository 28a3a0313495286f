import { isFailure, type KubeFailure } from '@quartermaster/kube';

/** What the request answers; undefined when it fails in this one way, which is as good. */
export async function tolerating<T>(failure: KubeFailure['kind'], request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isFailure(error, failure)) return undefined;
    throw error;
  }
}
