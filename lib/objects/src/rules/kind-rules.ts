import { clone, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { FieldViolation } from '@quartermaster/kernel';
import type { StoredObject } from '@quartermaster/store';
import type { OutputOnly, PathPattern } from '../masks/index.ts';
import { metadataLateFields, metadataOutputOnly, metadataViolations, normaliseMetadata } from './metadata-rules.ts';
import { textViolations } from './text-rules.ts';

/** A field that names another object. Stored as its id. */
export interface Reference {
  /** Path of the field, as a mask would name it. */
  readonly field: string;
  /** The plural of the other object's kind: `hosts`. */
  readonly kind: string;
  readonly value: string;
  /** Whether people may write the other object's name instead of its id. */
  readonly isNameAllowed: boolean;
}

/** The other end of a reference. */
export interface Referenced {
  readonly id: string;
  readonly object: Message;
}

/** field of the reference -> the object that it names */
export type ReferencedByField = ReadonlyMap<string, Referenced>;

/** Objects of `kind` that refer to this one by `field`, which has a column. */
export interface Usage {
  readonly kind: string;
  readonly field: PathPattern;
  /**
   * `delete`: the request to delete is refused while there are such objects. `removal`: only the end is, when no finalizer is
   * left; until then a controller may still take them away.
   */
  readonly blocks: 'delete' | 'removal';
  /** Default: they are to be changed or deleted. */
  readonly wayOut?: string | undefined;
  /** Whoever sees the object sees those that refer to it, too, and may be told which they are. */
  readonly isSeenTogether?: boolean | undefined;
}

/** What an update sends, beside what it makes of the object. */
export interface SentUpdate {
  /** Whether the request has a value for the field, be it the stored one. */
  sends(field: PathPattern): boolean;
  /** path -> stored value, of an object of which a secret is sent anew. To compare with: nothing of it may be told. */
  readonly secrets: ReadonlyMap<string, Uint8Array>;
}

/** A field that only callers of some roles write, although others may write the object. */
export interface ReservedField {
  /** Without `*`. */
  readonly field: PathPattern;
  readonly roles: readonly string[];
  /** Who writes it and why, for messages. */
  readonly why: string;
}

/** An object made ready to be stored, or what is wrong with it. */
export interface Prepared<Desc extends DescMessage> {
  readonly object: MessageShape<Desc>;
  readonly violations: readonly FieldViolation[];
}

/**
 * The rules of one kind, all of them pure; objects are of the private API and are never changed in place. A write goes: normalise, validate,
 * references (looked up and bound to ids), then onCreate or onUpdate. Violations refuse the write as a whole.
 */
export interface KindRules<Desc extends DescMessage> {
  /** One spelling for values that have several. Never fails: what cannot be read stays for `validate`. */
  normalise(object: MessageShape<Desc>): MessageShape<Desc>;
  /** What is stored already in breach of a rule that is newer than it does not keep an update from changing something else: `before` is what is stored. */
  validate(object: MessageShape<Desc>, before?: MessageShape<Desc>): FieldViolation[];
  /** The references that are set; of an update only those that must be looked at again. */
  references(object: MessageShape<Desc>, before?: MessageShape<Desc>): Reference[];
  /** Rules of a new object, and what it takes from those that it refers to. References are ids by then. */
  onCreate(object: MessageShape<Desc>, referenced: ReferencedByField): Prepared<Desc>;
  /** Rules of a change, with or without a mask. References are ids by then. */
  onUpdate(before: MessageShape<Desc>, after: MessageShape<Desc>, referenced: ReferencedByField, update: SentUpdate): Prepared<Desc>;
  /** Why the object may not be deleted by its own state: a sentence with the way out. */
  onDelete(object: MessageShape<Desc>): string | undefined;
  /** Never written by updates, and ignored in a new object. */
  readonly outputOnly: readonly OutputOnly[];
  /** The same for callers of the public API, in addition. */
  readonly publicOutputOnly: readonly OutputOnly[];
  readonly reserved: readonly ReservedField[];
  /** Fields that released clients do not know: an update without a mask keeps them when they are absent. */
  readonly lateFields: readonly PathPattern[];
}

/** What a kind adds to the rules of all kinds. Whatever it leaves out, it has no rule for. */
export interface OwnRules<M extends StoredObject> extends Partial<Omit<KindRules<GenMessage<M>>, 'normalise'>> {
  /** In place. */
  normalise?(object: M): void;
}

/** The rules of a kind: those of ids, metadata, texts and times, and its own after them. */
export function kindRules<M extends StoredObject>(schema: GenMessage<M>, own: OwnRules<M>): KindRules<GenMessage<M>> {
  return {
    normalise(object) {
      const result = clone(schema, object);
      normaliseMetadata(result.metadata);
      own.normalise?.(result);
      return result;
    },
    validate: (object, before) => [
      ...textViolations(schema, object),
      ...metadataViolations(object),
      ...(own.validate?.(object, before) ?? []),
    ],
    references: own.references ?? (() => []),
    onCreate: own.onCreate ?? ((object) => ({ object, violations: [] })),
    onUpdate: own.onUpdate ?? ((_before, object) => ({ object, violations: [] })),
    onDelete: own.onDelete ?? (() => undefined),
    outputOnly: [...metadataOutputOnly, ...(own.outputOnly ?? [])],
    publicOutputOnly: own.publicOutputOnly ?? [],
    reserved: own.reserved ?? [],
    lateFields: [...metadataLateFields, ...(own.lateFields ?? [])],
  };
}
