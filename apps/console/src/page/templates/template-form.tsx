import { templateKind } from '../api/object-kind.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import { NamedFields } from '../objects/named-fields.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { SizedSetsField } from '../objects/sized-sets-field.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import { ParametersField } from './parameters-field.tsx';

interface TemplateFormProps {
  /** A new one without it. */
  readonly template?: TemplateObject | undefined;
  readonly onSaved: (template: TemplateObject) => void;
  readonly onCancel: () => void;
}

const paths = ['id', 'metadata.name', 'metadata.tenants', 'title', 'description', 'node_sets', 'parameters'];

/** What a cluster can be made from. Clusters that exist keep what they were made with. */
export function TemplateForm({ template, onSaved, onCancel }: TemplateFormProps) {
  const isNew = template === undefined;
  const form = useObjectForm<TemplateObject>({
    kind: templateKind,
    object: template,
    initial: isNew ? {} : draftOf(template),
    paths,
    onSaved,
  });
  return (
    <ObjectForm form={form} action={isNew ? 'Create template' : 'Save'} onCancel={onCancel}>
      <NamedFields form={form} isNew={isNew} />
      <SizedSetsField form={form} path="node_sets" legend="Node sets: name, class and number of hosts" sets={template?.node_sets ?? {}} />
      <ParametersField form={form} parameters={template?.parameters ?? []} />
    </ObjectForm>
  );
}

function draftOf({ id, metadata, title, description, node_sets: nodeSets, parameters }: TemplateObject) {
  return { id, metadata: { name: metadata.name }, title, description, node_sets: nodeSets, parameters };
}
