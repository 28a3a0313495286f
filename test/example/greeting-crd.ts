import type { Condition } from '@quartermaster/controller';
import { type KubeObject, type kinds, resourceType } from '@quartermaster/kube';

export interface Greeting extends KubeObject {
  readonly spec: { readonly message: string; readonly replicas?: number };
  readonly status?: GreetingStatus;
}

export interface GreetingStatus {
  readonly conditions?: readonly Condition[];
  /** The ConfigMap that holds the message. */
  readonly configMap?: string;
  readonly observedGeneration?: number;
}

export const greetings = resourceType<Greeting>({
  group: 'example.quartermaster.dev',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
});

const conditionSchema = {
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: { type: 'string', maxLength: 316 },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: { type: 'string', minLength: 1, maxLength: 1024 },
    message: { type: 'string', maxLength: 32_768 },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    lastTransitionTime: { type: 'string', format: 'date-time' },
  },
};

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    // The names of the ConfigMaps are made from it and must fit.
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 63 } } },
    spec: {
      type: 'object',
      required: ['message'],
      properties: { message: { type: 'string', minLength: 1 }, replicas: { type: 'integer', format: 'int32', minimum: 0 } },
    },
    status: {
      type: 'object',
      properties: {
        conditions: { type: 'array', items: conditionSchema, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
        configMap: { type: 'string' },
        observedGeneration: { type: 'integer', format: 'int64' },
      },
    },
  },
};

/** To be applied before the operator starts; one that starts earlier waits for it. */
export const greetingCrd: NonNullable<(typeof kinds.customResourceDefinitions)['shape']> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${greetings.plural}.${greetings.group}` },
  spec: {
    group: greetings.group,
    scope: 'Namespaced',
    names: { kind: greetings.kind, plural: greetings.plural, singular: 'greeting' },
    versions: [
      {
        name: greetings.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: schema },
        additionalPrinterColumns: [
          { name: 'Message', type: 'string', jsonPath: '.spec.message' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
      },
    ],
  },
};
