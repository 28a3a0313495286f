/** What every object of the API has, by the names of the contract. */
export interface ApiObject {
  readonly id: string;
  readonly metadata: ApiMetadata;
}

export interface ApiMetadata {
  readonly name: string;
  readonly creation_timestamp?: string;
  readonly deletion_timestamp?: string;
  readonly tenants: readonly string[];
  readonly creators?: readonly string[];
  /** Not in the public API. */
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** An int64, which JSON has as text. */
  readonly version: string;
}

export interface ApiCondition {
  readonly type: string;
  readonly status: string;
  readonly last_transition_time?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What a person calls it: its name where it has one. */
export const nameOf = ({ id, metadata }: ApiObject): string => (metadata.name === '' ? id : metadata.name);
