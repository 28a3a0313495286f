interface AnyObject {
  readonly id?: string;
  readonly metadata?: { readonly name?: string; readonly finalizers?: string[] };
}

interface Metadata {
  readonly version: bigint;
  readonly name: string;
  readonly creators: string[];
  readonly tenants: string[];
  readonly finalizers?: string[];
  readonly deletionTimestamp?: { readonly seconds: bigint } | undefined;
  readonly creationTimestamp?: { readonly seconds: bigint } | undefined;
}

interface Stored {
  readonly id: string;
  readonly metadata?: Metadata | undefined;
}

/** The methods that every kind has, whatever the kind is. */
export interface AnyClient {
  list(request: {
    filter?: string;
    limit?: number;
    offset?: number;
    order?: string;
  }): Promise<{ items: Stored[]; size?: number | undefined; total?: number | undefined }>;
  get(request: { id: string }): Promise<{ object?: Stored | undefined }>;
  create(request: { object?: AnyObject; dryRun?: boolean }): Promise<{ object?: Stored | undefined }>;
  update(request: {
    object?: object;
    updateMask?: { paths: string[] };
    lock?: boolean;
    dryRun?: boolean;
  }): Promise<{ object?: Stored | undefined }>;
  delete(request: { id: string; version?: bigint; dryRun?: boolean }): Promise<unknown>;
}
