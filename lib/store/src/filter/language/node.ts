/** Expressions after checking: every node has a type, and both back ends read nothing else. */
import type { DescField } from '@bufbuild/protobuf';
import type { FilterType } from './filter-type.ts';
import type { Pattern } from './pattern.ts';
import type { ArithmeticOperator, CompareOperator } from './syntax.ts';

/** A value in memory. Integers are bigint, also those of points in time and durations; messages, lists and maps are as protobuf-es keeps them. */
export type Value = boolean | bigint | number | string | Uint8Array | object;

/** What both sides of a comparison are brought to. Integers of both signs compare exactly; with a double, as doubles. */
export type Domain = 'bool' | 'integer' | 'double' | 'string' | 'bytes' | 'micros';

export type TextTest = 'contains' | 'startsWith' | 'endsWith';
export type Quantifier = 'all' | 'exists' | 'exists_one';

export type Node = { readonly type: FilterType } & (
  | { readonly kind: 'literal'; readonly value: Value }
  /** A constant that cannot be evaluated. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'now' }
  | { readonly kind: 'root'; readonly name: string }
  /** The item of a quantifier, by the number of that quantifier. */
  | { readonly kind: 'variable'; readonly number: number }
  /** An unset field is its default, and an unset message an empty one. */
  | { readonly kind: 'field'; readonly base: Node; readonly field: DescField }
  /** Unknown outside of the list. */
  | { readonly kind: 'item'; readonly list: Node; readonly index: Node }
  /** Unknown for a missing key. */
  | { readonly kind: 'entry'; readonly map: Node; readonly key: Node }
  | { readonly kind: 'has'; readonly base: Node; readonly field: DescField }
  | { readonly kind: 'hasKey'; readonly map: Node; readonly key: Node }
  /** The list holds the item, which is no double and no bytes. */
  | { readonly kind: 'includes'; readonly list: Node; readonly item: Node }
  /** The operand is one of some literals, all strings or all integers. */
  | { readonly kind: 'oneOf'; readonly of: Node; readonly domain: 'string' | 'integer'; readonly values: readonly (string | bigint)[] }
  | { readonly kind: 'not'; readonly of: Node }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Node[] }
  | { readonly kind: 'conditional'; readonly condition: Node; readonly chosen: Node; readonly otherwise: Node }
  | {
      readonly kind: 'compare';
      readonly operator: CompareOperator;
      readonly domain: Domain;
      readonly left: Node;
      readonly right: Node;
    }
  /** By its type: integers, doubles, and points in time and durations in any sensible mixture. Unknown where the result does not fit. */
  | { readonly kind: 'arithmetic'; readonly operator: ArithmeticOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'concatenation'; readonly left: Node; readonly right: Node }
  /** Code points, bytes, items or keys. */
  | { readonly kind: 'size'; readonly of: Node }
  | { readonly kind: 'textTest'; readonly test: TextTest; readonly subject: Node; readonly argument: Node }
  | { readonly kind: 'matches'; readonly subject: Node; readonly pattern: Pattern }
  /** To the type of the node. Unknown for a text that is no number or a number that does not fit. */
  | { readonly kind: 'conversion'; readonly of: Node }
  /** Over the items of a list or the keys of a map. */
  | { readonly kind: 'quantifier'; readonly quantifier: Quantifier; readonly range: Node; readonly number: number; readonly body: Node }
);

export type NodeOf<K extends Node['kind']> = Node & { readonly kind: K };
