import type { Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { type FieldViolation, kindNames } from '@quartermaster/kernel';
import {
  fieldValue,
  ObjectTable,
  type ObjectType,
  type Queryable,
  type Sealer,
  type StoredMetadata,
  type StoredObject,
  secretPathsOf,
} from '@quartermaster/store';
import type { Projection } from '../projection/index.ts';
import type { KindRules, Usage } from '../rules/index.ts';

/** An object of any kind, as the public API has it. */
export interface PublicObject extends Message {
  id: string;
  metadata?: Pick<StoredMetadata, 'tenants' | 'version'> | undefined;
}

/** Everything that a service says of a kind: how it is stored, what holds for it, and what the public API shows of it. */
export interface KindDefinition<M extends StoredObject, P extends PublicObject = PublicObject> extends ObjectType<M> {
  readonly rules: KindRules<GenMessage<M>>;
  /** Objects of other kinds that keep one of these from being deleted. */
  readonly usedBy: readonly Usage[];
  /** What the public API shows; a kind without it does not exist there. */
  readonly projection?: Projection<GenMessage<P>, GenMessage<M>> | undefined;
  /** Unique index of the table -> the field that it keeps unique, with the rule for messages. */
  readonly unique?: Readonly<Record<string, FieldViolation>> | undefined;
  /** The object whose tenants see one of this kind, in place of its own tenants. */
  readonly seenThrough?: SeenThrough | undefined;
  /** Takes out what rules and settings that are newer than the object keep from being handed out, in place. Idempotent. What is stored stays. */
  withhold?(object: M): void;
  /** The settings that `withhold` goes by: another object whenever they have changed. */
  withheldBy?(): object;
  /** Paths of what is kept beside the objects: filters and orders cannot ask for it. */
  readonly unfilterable?: readonly string[] | undefined;
}

/** Objects of a kind are seen by whoever owns another object. While they name none, only those who see all tenants see them. */
export interface SeenThrough {
  /** The plural of the other kind: `clusters`. */
  readonly kind: string;
  /** Path of the field with the other object's id. It has a column. */
  readonly path: string;
}

/** A kind with the objects of it. */
export type Kind<M extends StoredObject, D extends KindDefinition<M> = KindDefinition<M>> = D & {
  readonly store: ObjectTable<M>;
  /** The id of the object that this one is seen through; empty where there is none. */
  ownerOf(object: M): string;
};

/** What matters of a kind where it does not matter which it is. */
export interface AnyKind extends Pick<ObjectType, 'name' | 'singular' | 'columns' | 'secretPaths'> {
  readonly schema: GenMessage<StoredObject>;
  readonly seenThrough?: SeenThrough | undefined;
  readonly projection?:
    | {
        readonly publicSchema: GenMessage<PublicObject>;
        readonly unfilterable: readonly string[];
        toPublic(object: StoredObject): PublicObject;
      }
    | undefined;
  withhold?(object: StoredObject): void;
  withheldBy?(): object;
  readonly store: {
    findByIdOrName(db: Queryable, texts: readonly string[], tenants?: readonly string[]): Promise<readonly StoredObject[]>;
    decode(body: Uint8Array): StoredObject;
  };
}

/** All kinds of a service, by their names. */
export type AnyKinds = Readonly<Record<string, AnyKind>>;

/** What the message itself says of a kind: its names, and by the contract which of its fields are secret. */
type SaidByMessage = 'schema' | 'name' | 'singular' | 'secretPaths';

/** Declares a kind: the only place that lists what is known about it. */
export function defineKind<M extends StoredObject, D extends Omit<KindDefinition<M>, SaidByMessage>>(
  schema: GenMessage<M>,
  definition: D,
): D & Pick<KindDefinition<M>, SaidByMessage> {
  const { stored, singular } = kindNames(schema.name);
  return { ...definition, schema, name: stored, singular, secretPaths: secretPathsOf(schema) };
}

export function openKind<M extends StoredObject, D extends KindDefinition<M>>(definition: D & KindDefinition<M>, keys: Sealer): Kind<M, D> {
  const { schema, seenThrough } = definition;
  const read = seenThrough === undefined ? undefined : fieldValue(schema, seenThrough.path);
  const ownerOf = (object: M): string => {
    const id = read?.(object);
    return typeof id === 'string' ? id : '';
  };
  return { ...definition, store: new ObjectTable<M>(definition, keys), ownerOf };
}
