import type { ApiObject } from '../api/api-object.ts';
import type { ParameterValue } from './parameter-value.ts';

/** A cluster template by the names of the contract, the same in both APIs. */
export interface TemplateObject extends ApiObject {
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly TemplateParameter[];
  // name -> node set
  readonly node_sets: Readonly<Record<string, TemplateNodeSet>>;
}

export interface TemplateParameter {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  /** `type.googleapis.com/google.protobuf.StringValue`. */
  readonly type: string;
  readonly default?: ParameterValue | undefined;
}

export interface TemplateNodeSet {
  readonly host_class: string;
  readonly size: number;
}
