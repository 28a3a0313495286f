import { hostClassKind } from '../api/object-kind.ts';
import { FormField } from '../objects/form-field.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { TenantsField } from '../objects/tenants-field.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import type { HostClassObject } from './host-class-object.ts';

interface HostClassFormProps {
  /** A new one without it. */
  readonly hostClass?: HostClassObject;
  readonly onSaved: (hostClass: HostClassObject) => void;
  readonly onCancel: () => void;
}

const paths = ['id', 'metadata.name', 'metadata.tenants', 'title', 'description'];

export function HostClassForm({ hostClass, onSaved, onCancel }: HostClassFormProps) {
  const isNew = hostClass === undefined;
  const form = useObjectForm<HostClassObject>({
    kind: hostClassKind,
    ...(isNew ? {} : { object: hostClass }),
    initial: isNew
      ? {}
      : { id: hostClass.id, metadata: { name: hostClass.metadata.name }, title: hostClass.title, description: hostClass.description },
    paths,
    onSaved,
  });
  return (
    <ObjectForm form={form} action={isNew ? 'Create host class' : 'Save'} onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes" isMono />
      {isNew && <FormField form={form} path="id" label="Id" hint="empty: one is made" isMono />}
      <FormField form={form} path="title" label="Title" hint="one line for people" />
      {isNew && <TenantsField form={form} />}
      <div className="form-wide">
        <FormField form={form} path="description" label="Description" kind="long" />
      </div>
    </ObjectForm>
  );
}
