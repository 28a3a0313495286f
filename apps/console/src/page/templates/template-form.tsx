import { templateKind } from '../api/object-kind.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import { NamedFields } from '../objects/named-fields.tsx';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { SizedSetsField } from '../objects/sized-sets-field.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import { ParametersField } from './parameters-field.tsx';

const paths = ['id', 'metadata.name', 'metadata.tenants', 'title', 'description', 'node_sets', 'parameters'];

/** What a cluster can be made from. Clusters that exist keep what they were made with. */
export function TemplateForm({ object, onSaved, onCancel }: ObjectFormProps<TemplateObject>) {
  const form = useObjectForm({ kind: templateKind, object, paths, onSaved });
  return (
    <ObjectForm form={form} onCancel={onCancel}>
      <NamedFields form={form} />
      <SizedSetsField form={form} path="node_sets" legend="Node sets: name, class and number of hosts" sets={object?.node_sets ?? {}} />
      <ParametersField form={form} parameters={object?.parameters ?? []} />
    </ObjectForm>
  );
}
