import { type KubeClient, type KubeObject, kinds, type ResourceType, resourceType } from '@quartermaster/kube';
import { vi } from 'vitest';

export interface Widget extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly ready?: boolean };
}

/** A kind of a CRD whose group is unique to the test, so that tests on one server do not meet. */
export function widgetType(group: string): ResourceType<Widget> {
  return resourceType<Widget>({ group, version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true });
}

/** Installs the CRD and waits until the server serves it. */
export async function installWidgets(client: KubeClient, type: ResourceType<Widget>): Promise<void> {
  const name = `${type.plural}.${type.group}`;
  const properties = {
    spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 0 } } },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  };
  await client.create(kinds.customResourceDefinitions, {
    metadata: { name },
    spec: {
      group: type.group,
      scope: 'Namespaced',
      names: { kind: type.kind, plural: type.plural, singular: 'widget', listKind: 'WidgetList' },
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  });
  await vi.waitFor(() => client.list(type, { limit: 1 }), { timeout: 20_000, interval: 50 });
}

/** Removes the CRD with its objects and waits until the server no longer serves it. */
export async function removeWidgets(client: KubeClient, type: ResourceType<Widget>): Promise<void> {
  const ref = { name: `${type.plural}.${type.group}` };
  await client.delete(kinds.customResourceDefinitions, ref);
  await vi.waitFor(
    async () => {
      if ((await client.find(kinds.customResourceDefinitions, ref)) !== undefined) throw new Error(`${ref.name} is still there`);
    },
    { timeout: 20_000, interval: 50 },
  );
}
