import { templateKind } from '../api/object-kind.ts';
import { FormField } from '../objects/form-field.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { SizedSetsField } from '../objects/sized-sets-field.tsx';
import { TenantsField } from '../objects/tenants-field.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import { ParametersField } from './parameters-field.tsx';
import type { TemplateObject } from './template-object.ts';

interface TemplateFormProps {
  /** A new one without it. */
  readonly template?: TemplateObject;
  readonly onSaved: (template: TemplateObject) => void;
  readonly onCancel: () => void;
}

const paths = ['id', 'metadata.name', 'metadata.tenants', 'title', 'description', 'node_sets', 'parameters'];

/** What a cluster can be made from. Clusters that exist keep what they were made with. */
export function TemplateForm({ template, onSaved, onCancel }: TemplateFormProps) {
  const isNew = template === undefined;
  const form = useObjectForm<TemplateObject>({
    kind: templateKind,
    ...(isNew ? {} : { object: template }),
    initial: isNew ? {} : draftOf(template),
    paths,
    onSaved,
  });
  return (
    <ObjectForm form={form} action={isNew ? 'Create template' : 'Save'} onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes" isMono />
      {isNew && <FormField form={form} path="id" label="Id" hint="empty: one is made" isMono />}
      <FormField form={form} path="title" label="Title" hint="one line for people" />
      {isNew && <TenantsField form={form} />}
      <div className="form-wide">
        <FormField form={form} path="description" label="Description" kind="long" />
      </div>
      <SizedSetsField form={form} path="node_sets" legend="Node sets: name, class and number of hosts" sets={template?.node_sets ?? {}} />
      <ParametersField form={form} parameters={template?.parameters ?? []} />
    </ObjectForm>
  );
}

function draftOf({ id, metadata, title, description, node_sets: nodeSets, parameters }: TemplateObject) {
  return { id, metadata: { name: metadata.name }, title, description, node_sets: nodeSets, parameters };
}
