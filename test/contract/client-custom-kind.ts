import { type KubeObject, kinds, type ResourceType, resourceType } from '@quartermaster/kube';
import { expect, vi } from 'vitest';
import { patience, uniqueName } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

export type CustomResourceDefinition = NonNullable<(typeof kinds.customResourceDefinitions)['shape']>;
type Version = NonNullable<CustomResourceDefinition['spec']>['versions'][number];

export interface Widget extends KubeObject {
  readonly spec?: {
    readonly size?: number;
    readonly colour?: string;
    readonly code?: string;
    readonly serial?: string;
    readonly tags?: readonly string[];
    readonly free?: Readonly<Record<string, unknown>>;
    readonly low?: number;
    readonly high?: number;
    readonly unknown?: string;
  };
  readonly status?: { readonly replicas?: number; readonly selector?: string; readonly phase?: string };
}

const widgetSchema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      'x-kubernetes-validations': [
        { rule: '!has(self.low) || !has(self.high) || self.low <= self.high', message: 'low must not be above high' },
      ],
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 10 },
        colour: { type: 'string', enum: ['red', 'blue'], default: 'blue' },
        code: { type: 'string', pattern: '^[a-z]{3}$' },
        serial: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'serial is immutable' }] },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        low: { type: 'integer' },
        high: { type: 'integer' },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } },
    },
  },
};

/** One version of the widget's definition. */
export function widgetVersion(name: string, storage: boolean): Version {
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: widgetSchema },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
    },
  };
}

/** A definition in a group of its own, so that every test may have the kind Widget to itself. */
export function widgetDefinition(group: string, versions: Version[] = [widgetVersion('v1', true)]): CustomResourceDefinition {
  return {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget', shortNames: ['wd'] },
      versions,
    },
  };
}

export const uniqueGroup = (): string => `${uniqueName('contract')}.example.com`;

export function widgetType(group: string, version = 'v1'): ResourceType<Widget> {
  return resourceType<Widget>({ group, version, kind: 'Widget', plural: 'widgets', namespaced: true });
}

/** Installs the definition and waits until the server serves its kinds to everybody. */
export async function install(server: ContractServer, definition: CustomResourceDefinition): Promise<void> {
  const { client } = server;
  await client.create(kinds.customResourceDefinitions, definition);
  const name = definition.metadata?.name ?? '';
  const established = async (): Promise<void> => {
    const { status } = await client.get(kinds.customResourceDefinitions, { name });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  };
  await vi.waitFor(established, patience);
  const group = definition.spec?.group ?? '';
  for (const version of definition.spec?.versions ?? []) {
    await vi.waitFor(() => client.list(widgetType(group, version.name), { limit: 1 }), patience);
  }
}
