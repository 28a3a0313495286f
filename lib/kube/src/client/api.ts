import type { KubeObject, ObjectRef, ResourceType } from '../objects/objects.ts';

/** Options of every request. */
export interface RequestOptions {
  /** Whole-request limit; the transport's default when absent. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs at the last moment before the request's bytes leave; what it throws stops the request and reaches the caller. */
  readonly guard?: (() => void) | undefined;
}

export interface ReadOptions extends RequestOptions {
  readonly subresource?: string | undefined;
  /** Absent: the most recent state. `"0"`: any state, possibly old, from the server's cache. */
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends RequestOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

export interface ObjectList<T> {
  readonly resourceVersion: string;
  /** Present while there are further pages. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  readonly items: readonly T[];
}

export interface WriteOptions extends RequestOptions {
  /** Who owns the fields that this write sets; shown in `metadata.managedFields`. */
  readonly fieldManager?: string | undefined;
  /** The server validates and answers as if it wrote, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  readonly subresource?: string | undefined;
  /** What the server does with unknown or duplicate fields. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** One state of one object. A `CacheEntry` is one. */
export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
  /**
   * What the decision was made upon, such as the entry of a cache: the apply fails with a conflict when the stored object is no longer this
   * one. `absent`: there was none, which a server cannot check.
   */
  readonly decidedOn?: ObjectVersion | 'absent' | undefined;
}

export interface DeleteOptions extends RequestOptions {
  /** The delete fails with a conflict when the object is no longer this one. */
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** A change to an object as one of the three patch formats. Server-side apply has a method of its own. */
export type Patch =
  | { readonly kind: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly kind: 'merge'; readonly body: object }
  | { readonly kind: 'strategic'; readonly body: object };

/** Reading single objects and pages. For many objects over time use a cache. */
export interface KubeReader {
  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: ReadOptions): Promise<T>;
  /** The object, or undefined when the server says that it does not exist. Any other failure is thrown. */
  find<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: ReadOptions): Promise<T | undefined>;
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;
}

/**
 * Every way to change an object. The client, the leader's fenced writer and the dry-run writer all implement it, so
 * that a reconciler cannot tell under which of them it runs.
 */
export interface KubeWriter {
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** With `metadata.resourceVersion` set, fails with a conflict when the stored object has moved on. */
  replace<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Server-side apply: creates the object or sets exactly the fields given, owned by `fieldManager`. Idempotent. */
  apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T>;
  /** Resolves also when the object is already gone: the caller wanted it gone. */
  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<void>;
}
