import { hostPoolKind } from '../api/object-kind.ts';
import { NameField } from '../objects/named-fields.tsx';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { SizedSetsField } from '../objects/sized-sets-field.tsx';
import { TenantsField } from '../objects/tenants-field.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import type { HostPoolObject } from './host-pool-object.ts';

const paths = ['metadata.name', 'metadata.tenants', 'spec.host_sets'];

export function HostPoolForm({ object, onSaved, onCancel }: ObjectFormProps<HostPoolObject>) {
  const form = useObjectForm({ kind: hostPoolKind, object, paths, onSaved });
  const sets = object?.spec?.host_sets ?? {};
  return (
    <ObjectForm form={form} onCancel={onCancel}>
      <NameField form={form} />
      {form.isNew && <TenantsField form={form} />}
      <SizedSetsField form={form} path="spec.host_sets" legend="Host sets: name, class and number of hosts" sets={sets} />
    </ObjectForm>
  );
}
