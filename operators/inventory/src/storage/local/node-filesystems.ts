import type { FilesystemFacts } from '@quartermaster/api/node-hardware';

/** What the discovery agents found behind the paths of node-local classes. Their facts outlive them. */
export interface NodeFilesystems {
  /** Undefined while no agent has reported the filesystems of the node. */
  of(node: string): readonly FilesystemFacts[] | undefined;
  /** When what is said here was last confirmed, in milliseconds since the epoch. */
  observedAt(): number | undefined;
  /** Calls back when reports change. Returns how to end it. */
  subscribe(changed: () => void): () => void;
}
