import type { JsonObject } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';

export interface ManagedWrite {
  /** The object as stored; undefined when it does not exist yet. */
  readonly live: JsonObject | undefined;
  readonly schema: SchemaNode;
  /** Empty: the server calls it `unknown`. */
  readonly manager: string;
  /** The apiVersion in which the write was made. */
  readonly apiVersion: string;
  /** RFC 3339 with seconds. */
  readonly now: string;
  readonly subresource?: string | undefined;
  /** Which fields such a write cannot own; see `ownableFields`. Absent: it can own all. */
  readonly ownable?: OwnableFields | undefined;
}

/** The top-level fields that a write may own: all but some, or only some. */
export type OwnableFields =
  | { readonly kind: 'all-but'; readonly fields: readonly string[] }
  | { readonly kind: 'only'; readonly fields: readonly string[] };

/** One field that another manager owns, as the server reports it: `.spec.replicas` held by `kubectl`. */
export interface ApplyConflict {
  readonly field: string;
  readonly manager: string;
  readonly message: string;
}

export type ApplyOutcome = { readonly object: JsonObject } | { readonly conflicts: readonly ApplyConflict[]; readonly message: string };
