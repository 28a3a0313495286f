/** The form of `vectors/built-in.json`: what the real server says about its kinds, without its prose. */
import type { SchemaNode } from './schema-node.ts';

/** A SchemaNode whose parts may be references to named types, which may refer to themselves. */
export interface TypeData extends Omit<SchemaNode, 'type' | 'properties' | 'items' | 'additional'> {
  /** Absent where `ref` says it. */
  readonly type?: SchemaNode['type'];
  /** Name of a type; what stands beside it belongs to this use of it. */
  readonly ref?: string | undefined;
  readonly properties?: Readonly<Record<string, TypeData>> | undefined;
  readonly items?: TypeData | undefined;
  readonly additional?: TypeData | undefined;
}

/** One kind as discovery and OpenAPI describe it. */
export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Empty for a kind that is served as a subresource of others only: Eviction, Scale, TokenRequest. */
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
}

export interface SubresourceInfo {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface BuiltInData {
  /** Version of the server that said so. */
  readonly server: string;
  readonly kinds: readonly (KindInfo & { readonly type: string })[];
  // name -> type
  readonly types: Readonly<Record<string, TypeData>>;
}
