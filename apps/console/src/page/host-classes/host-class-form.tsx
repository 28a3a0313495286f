import type { ApiObject } from '../api/api-object.ts';
import { hostClassKind } from '../api/object-kind.ts';
import { NamedFields } from '../objects/named-fields.tsx';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';

/** A host class by the names of the contract, the same in both APIs. */
export interface HostClassObject extends ApiObject {
  readonly title: string;
  readonly description: string;
}

const paths = ['id', 'metadata.name', 'metadata.tenants', 'title', 'description'];

export function HostClassForm({ object, onSaved, onCancel }: ObjectFormProps<HostClassObject>) {
  const form = useObjectForm({ kind: hostClassKind, object, paths, onSaved });
  return (
    <ObjectForm form={form} onCancel={onCancel}>
      <NamedFields form={form} />
    </ObjectForm>
  );
}
