import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { Metadata } from '@quartermaster/api/private';
import type { ObjectStore, Queryable, StoredObject } from '@quartermaster/store';
import type { KindName, KindRules } from '../rules/index.ts';

/** An object of any kind, as the private API has it. */
export type AnyObject = StoredObject & { metadata?: Metadata | undefined };

/** A kind of object with everything that is known about it. */
export interface Kind<M extends AnyObject> {
  readonly name: KindName;
  readonly store: ObjectStore<M>;
  readonly rules: KindRules<GenMessage<M>>;
  /** Whose tenants see the object in place of its own: its cluster. Empty: nobody but those who see all tenants. */
  readonly clusterOf?: (object: M) => string;
  /** Fills in what is kept outside of the objects, in place. */
  readonly complete?: (db: Queryable, objects: readonly M[]) => Promise<void>;
  /** Paths of that: filters and orders cannot ask for it. */
  readonly unfilterable?: readonly string[];
}
