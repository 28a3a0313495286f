// Made from test/example/greeting.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/** A message that is kept in a ConfigMap beside it. */
export interface Greeting {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: GreetingSpec;
  readonly status?: GreetingStatus | undefined;
}

export interface GreetingSpec {
  readonly message: string;
  readonly replicas?: number | undefined;
}

export interface GreetingStatus {
  /** The ConfigMap that holds the message. */
  readonly configMap?: string | undefined;
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly GreetingCondition[] | undefined;
}

export interface GreetingCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number | undefined;
  readonly lastTransitionTime: string;
}

export const greetingType: ResourceType<Greeting> = {
  group: 'example.quartermaster.dev',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};
