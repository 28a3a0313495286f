import type { Message } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';

/** What the store keeps about every object in columns of its own. */
export interface StoredMetadata extends Message {
  creationTimestamp?: Timestamp | undefined;
  /** Set once, when the deletion was asked for. */
  deletionTimestamp?: Timestamp | undefined;
  /** While there are any, a deleted object stays. */
  finalizers: string[];
  creators: string[];
  tenants: string[];
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** 0 for a new object, one more with each write. */
  version: bigint;
}

/** The shape of a message that can be stored. */
export interface StoredObject extends Message {
  id: string;
  metadata?: StoredMetadata | undefined;
}

/** Stands in a stored or shown message where a secret is set. As a value it is never stored: whoever sends it means "as it is". */
export const redacted = '<redacted>';
