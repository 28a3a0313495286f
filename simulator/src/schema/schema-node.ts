/**
 * The shape of a value as the API server knows it: what is needed to validate, default and prune it, to merge patches into it
 * and to tell who owns which part of it. Built-in kinds get theirs from the real server's OpenAPI, CRDs from their own schema.
 */
export interface SchemaNode {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any' | 'int-or-string' | 'quantity';
  /** Of a built-in struct: `core.v1.PodSpec`. */
  readonly name?: string | undefined;
  /** Of an object: its known fields. */
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
  /** Of a map: the shape of every value. */
  readonly additional?: SchemaNode | undefined;
  /** Of an array. */
  readonly items?: SchemaNode | undefined;
  readonly required?: readonly string[] | undefined;
  /** How server-side apply merges a list. `atomic` when absent. */
  readonly listType?: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
  /** A struct that server-side apply owns as a whole. */
  readonly mapType?: 'atomic' | 'granular' | undefined;
  /** How a strategic merge patch treats the field. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[] | undefined;
  readonly patchMergeKey?: string | undefined;
  /** Unknown fields are kept. */
  readonly preserveUnknown?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  readonly default?: unknown;
  /** Of a field of a built-in kind: the server always has it, with its default or null where nobody set it. */
  readonly alwaysPresent?: boolean | undefined;
  /** The remaining keywords of a CRD's structural schema (enum, pattern, minimum, maxItems, format, x-kubernetes-validations …), verbatim. */
  readonly rules?: Readonly<Record<string, unknown>> | undefined;
}
