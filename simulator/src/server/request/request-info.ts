import { badRequest, noSuchResource } from '../../schema/api-status.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import type { ObjectRef } from '../store/object-reader.ts';

/** What a path below /api or /apis names. */
export interface ResourcePath {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export const refOf = ({ namespace, name = '' }: Pick<ResourcePath, 'namespace' | 'name'>): ObjectRef => ({ namespace, name });

/** The parts of a path, decoded. */
export function pathParts(pathname: string): string[] {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    throw badRequest('the path is not valid percent-encoded UTF-8');
  }
}

/** `parts` begin after /api/v1 or /apis/group/version. */
export function resourcePath(registry: KindRegistry, group: string, version: string, parts: readonly string[]): ResourcePath {
  const [first, second, third] = parts;
  const isOwnSubresource = third === 'status' || third === 'finalize';
  if (first === 'namespaces' && second !== undefined && third !== undefined && !isOwnSubresource) {
    const path = pathOf(registry, group, version, parts.slice(2), second);
    if (!path.kind.namespaced) throw noSuchResource();
    return path;
  }
  return pathOf(registry, group, version, parts, undefined);
}

function pathOf(
  registry: KindRegistry,
  group: string,
  version: string,
  parts: readonly string[],
  namespace: string | undefined,
): ResourcePath {
  const [plural = '', name, subresource, ...rest] = parts;
  const kind = registry.get(group, version, plural);
  if (name !== undefined && kind.namespaced && namespace === undefined) throw noSuchResource();
  const isServed = subresource === undefined || kind.subresources.some((each) => each.name === subresource);
  if (!isServed || (rest.length > 0 && subresource !== 'proxy')) throw noSuchResource();
  return { kind, namespace, name, subresource };
}
