/** What every object of the API has, by the names of the contract. */
export interface ApiObject {
  readonly id: string;
  readonly metadata: ApiMetadata;
}

export interface ApiMetadata {
  readonly name: string;
  readonly creation_timestamp?: string | undefined;
  readonly deletion_timestamp?: string | undefined;
  readonly tenants: readonly string[];
  readonly creators?: readonly string[] | undefined;
  /** Not in the public API. */
  readonly finalizers?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** An int64, which JSON has as text. */
  readonly version: string;
}

export interface ApiCondition {
  readonly type: string;
  readonly status: string;
  readonly last_transition_time?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** What a person calls it: its name where it has one. */
export const nameOf = ({ id, metadata }: ApiObject): string => (metadata.name === '' ? id : metadata.name);
