import { hostPoolKind } from '../api/object-kind.ts';
import { FormField } from '../objects/form-field.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { SizedSetsField } from '../objects/sized-sets-field.tsx';
import { TenantsField } from '../objects/tenants-field.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import type { HostPoolObject } from './host-pool-object.ts';

interface HostPoolFormProps {
  /** A new one without it. */
  readonly pool?: HostPoolObject | undefined;
  readonly onSaved: (pool: HostPoolObject) => void;
  readonly onCancel: () => void;
}

const paths = ['metadata.name', 'metadata.tenants', 'spec.host_sets'];

export function HostPoolForm({ pool, onSaved, onCancel }: HostPoolFormProps) {
  const isNew = pool === undefined;
  const sets = pool?.spec?.host_sets ?? {};
  const form = useObjectForm<HostPoolObject>({
    kind: hostPoolKind,
    object: pool,
    initial: isNew ? {} : { metadata: { name: pool.metadata.name }, spec: { host_sets: sets } },
    paths,
    onSaved,
  });
  return (
    <ObjectForm form={form} action={isNew ? 'Create host pool' : 'Save'} onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes" isMono />
      {isNew && <TenantsField form={form} />}
      <SizedSetsField form={form} path="spec.host_sets" legend="Host sets: name, class and number of hosts" sets={sets} />
    </ObjectForm>
  );
}
