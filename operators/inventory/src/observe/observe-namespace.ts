import type { FieldSelection } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { hasLeaseLabel } from '../model/lease-labels.ts';
import { mapOf, object, optional, shaped, text } from './shape.ts';

export interface ObservedNamespace {
  /** A namespace that is made again under its name is another one. */
  readonly uid: string;
  /** Whether its labels say that all in it is a lease's. */
  readonly isOfLease: boolean;
}

export const namespaceFields = { metadata: { labels: true } } as const satisfies FieldSelection<Namespace>;

interface ReadNamespace {
  readonly metadata: { readonly uid: string; readonly labels?: Readonly<Record<string, string>> | undefined };
}
const namespaceShape = object<ReadNamespace>({
  metadata: object<ReadNamespace['metadata']>({ uid: text, labels: optional(mapOf(text)) }),
});

export const observeNamespace = shaped(
  namespaceShape,
  ({ metadata }): ObservedNamespace => ({ uid: metadata.uid, isOfLease: hasLeaseLabel(metadata.labels) }),
);
