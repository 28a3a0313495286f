import type { KubeObject, ResourceType } from '@quartermaster/kube';

/** An object that exists from the beginning. */
export interface WorldObject {
  readonly type: ResourceType;
  readonly object: KubeObject & { readonly spec?: unknown; readonly status?: unknown };
}

/** A definition of a kind whose objects may hold anything: what other systems' operators install, without their schemas. */
export function openDefinition({ group, version, kind, plural, namespaced }: ResourceType): KubeObject & { readonly spec: object } {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: open } }],
    },
  };
}
