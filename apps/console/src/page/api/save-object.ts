import { callApi } from '../http/call-api.ts';
import type { Session } from '../session/session.ts';
import type { ApiObject } from './api-object.ts';
import { kindPath, type ObjectKind, objectPath } from './object-kind.ts';

export interface SaveOptions {
  /** Check only: the answer is what would be stored. */
  readonly isDryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function createObject<T extends ApiObject>(
  session: Session,
  kind: ObjectKind,
  object: object,
  options: SaveOptions = {},
): Promise<T> {
  return await callApi<T>(kindPath(session, kind), { method: 'POST', body: object, ...options });
}

export interface ObjectUpdate {
  readonly id: string;
  /** What the change is based on: refused when somebody was faster. */
  readonly version: string;
  /** Holds what the mask names. */
  readonly object: object;
  /** By the names of the contract: `spec.rack`. A path that the object does not have is cleared. */
  readonly mask: readonly string[];
}

export async function updateObject<T extends ApiObject>(
  session: Session,
  kind: ObjectKind,
  { id, version, object, mask }: ObjectUpdate,
  options: SaveOptions = {},
): Promise<T> {
  const metadata = 'metadata' in object && typeof object.metadata === 'object' ? object.metadata : {};
  return await callApi<T>(objectPath(session, kind, id), {
    method: 'PATCH',
    query: { update_mask: mask.join(','), lock: true },
    body: { ...object, metadata: { ...metadata, version } },
    ...options,
  });
}

/** Deletes this version and no newer one. */
export async function deleteObject(
  session: Session,
  kind: ObjectKind,
  { id, metadata: { version } }: ApiObject,
  options: SaveOptions = {},
): Promise<void> {
  await callApi(objectPath(session, kind, id), { method: 'DELETE', query: { version }, ...options });
}
