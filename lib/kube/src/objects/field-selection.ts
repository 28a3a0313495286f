/**
 * The fields of an object that somebody needs, as a tree of its field names: `{ spec: { containers: { resources: true } } }`.
 * `true` takes all below; arrays are passed through to their elements; a map is named by its keys.
 */
export type FieldSelection<T> = true | (NonNullable<T> extends readonly (infer E)[] ? FieldSelection<E> : FieldsOf<NonNullable<T>>);

type FieldsOf<T> = T extends object ? { readonly [K in keyof T]?: FieldSelection<T[K]> } : never;

/** What is left of `T` under a selection: a field that was not selected cannot be read by mistake. */
export type Selected<T, F> = F extends true
  ? T
  : T extends readonly (infer E)[]
    ? readonly Selected<E, F>[]
    : T extends object
      ? { [K in keyof T as K extends keyof F ? K : never]: Selected<T[K], F[K & keyof F]> }
      : T;

/** What every cache keeps of an object, selected or not. */
export interface IdentitySelection {
  readonly metadata: { readonly name: true; readonly namespace: true; readonly uid: true; readonly resourceVersion: true };
}

/** A selection without its types. */
export type SelectionTree = true | { readonly [field: string]: SelectionTree | undefined };

const identity = { name: true, namespace: true, uid: true, resourceVersion: true } as const;

/** The selection with the identity of the object in it. */
export function withIdentity(selection: SelectionTree): SelectionTree {
  if (selection === true || selection['metadata'] === true) return selection;
  return { ...selection, metadata: { ...selection['metadata'], ...identity } };
}
