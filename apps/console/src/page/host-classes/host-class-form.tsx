import { hostClassKind } from '../api/object-kind.ts';
import { NamedFields } from '../objects/named-fields.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import type { HostClassObject } from './host-class-object.ts';

interface HostClassFormProps {
  /** A new one without it. */
  readonly hostClass?: HostClassObject | undefined;
  readonly onSaved: (hostClass: HostClassObject) => void;
  readonly onCancel: () => void;
}

const paths = ['id', 'metadata.name', 'metadata.tenants', 'title', 'description'];

export function HostClassForm({ hostClass, onSaved, onCancel }: HostClassFormProps) {
  const isNew = hostClass === undefined;
  const form = useObjectForm<HostClassObject>({
    kind: hostClassKind,
    object: hostClass,
    initial: isNew
      ? {}
      : { id: hostClass.id, metadata: { name: hostClass.metadata.name }, title: hostClass.title, description: hostClass.description },
    paths,
    onSaved,
  });
  return (
    <ObjectForm form={form} action={isNew ? 'Create host class' : 'Save'} onCancel={onCancel}>
      <NamedFields form={form} isNew={isNew} />
    </ObjectForm>
  );
}
