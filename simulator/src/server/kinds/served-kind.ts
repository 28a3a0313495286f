import type { KindInfo } from '../../schema/built-in-data.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';
import type { JsonObject } from '../object/api-object.ts';

/** One kind in one version, as the server serves it. */
export interface ServedKind extends KindInfo {
  readonly listKind: string;
  readonly schema: SchemaNode;
  /** Where its objects are: group/plural. Two kinds may share one store, as the two kinds of Event do. */
  readonly storageKey: string;
  /** Of a CRD's kind. */
  readonly custom?: CustomKind | undefined;
}

export interface CustomKind {
  readonly definition: string;
  readonly storageVersion: string;
  /** As the CRD states it, for /openapi. */
  readonly openApi: JsonObject;
  readonly columns: readonly JsonObject[];
  readonly selectableFields: readonly string[];
  readonly scale:
    | { readonly specReplicas: readonly string[]; readonly statusReplicas: readonly string[]; readonly selector: readonly string[] }
    | undefined;
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === '' ? version : `${group}/${version}`;

export const hasSubresource = (kind: ServedKind, name: string): boolean => kind.subresources.some((each) => each.name === name);

export const keyOf = (namespace: string | undefined, name: string): string => (namespace === undefined ? name : `${namespace}/${name}`);

export function splitKey(key: string): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: undefined, name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Stable versions first, then the higher ones: v2, v1, v2beta1, v1alpha3; what is no such version last, by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionRank(a), versionRank(b)];
  for (const [index, rank] of left.entries()) {
    const difference = (right[index] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionRank(version: string): readonly [number, number, number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const [, major, stage, minor] = match;
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}
