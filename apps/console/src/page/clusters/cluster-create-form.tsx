import { useEffect, useState } from 'react';
import { nameOf } from '../api/api-object.ts';
import { clusterKind, hostClassKind, templateKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { useStock } from '../claims/class-stock.ts';
import { stockWords } from '../claims/stock-words.ts';
import { FormField } from '../objects/form-field.tsx';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { rowsOfSets } from '../objects/sized-sets.ts';
import { TenantsField } from '../objects/tenants-field.tsx';
import { type ObjectForm as Form, useObjectForm } from '../objects/use-object-form.ts';
import { SizeField, sizePath } from './cluster-edit-form.tsx';
import type { ClusterObject } from './cluster-object.ts';
import { ParameterField } from './parameter-field.tsx';
import type { TemplateObject } from './template-object.ts';

type FormProps = ObjectFormProps<ClusterObject>;

/** An order: a template, how many hosts each node set shall have, and what the template asks for. */
export function ClusterCreateForm({ onCancel, onSaved, madeFrom }: FormProps) {
  const { data, error } = useObjects<TemplateObject>(templateKind, { order: 'metadata.name' });
  if (data === undefined) {
    return <p className="empty-line">{error === null ? 'Loading the templates …' : error.message}</p>;
  }
  if (data.items.length === 0) {
    return (
      <p className="empty-line">
        There is no template to create a cluster from. A provider creates one on the page Templates, or with{' '}
        <code>quartermaster create clustertemplate</code>.
      </p>
    );
  }
  const first = data.items.find(({ id }) => id === madeFrom) ?? (data.items.length === 1 ? data.items[0] : undefined);
  return <OrderForm templates={data.items} first={first} onCancel={onCancel} onSaved={onSaved} />;
}

interface OrderFormProps extends Pick<FormProps, 'onCancel' | 'onSaved'> {
  readonly templates: readonly TemplateObject[];
  readonly first: TemplateObject | undefined;
}

const paths = ['metadata', 'spec'];

function OrderForm({ templates, first, onCancel, onSaved }: OrderFormProps) {
  const form = useObjectForm<ClusterObject>({ kind: clusterKind, paths, onSaved });
  const [wished] = useState(first);
  const { set } = form;
  const isEmpty = form.value('spec') === undefined;
  // What is chosen for the person counts as chosen: the order may be sent as it is.
  useEffect(() => {
    if (isEmpty && wished !== undefined) set('spec', specOf(wished));
  }, [isEmpty, wished, set]);
  const chosen = templates.find(({ id }) => id === form.value('spec.template'));
  const choose = (template: TemplateObject | undefined): void => set('spec', template === undefined ? {} : specOf(template));
  return (
    <ObjectForm form={form} action="Order cluster" hasRequired onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" hint="Lower-case letters, digits and dashes." isMono />
      <FormField
        form={{ ...form, set: (_path, id) => choose(templates.find((template) => template.id === id)) }}
        path="spec.template"
        label="Template"
        isRequired
        choices={{
          '': 'choose one …',
          ...Object.fromEntries(templates.map((template) => [template.id, template.title || nameOf(template)])),
        }}
        hint={chosen?.description || undefined}
      />
      {chosen !== undefined && <SizeFields form={form} template={chosen} />}
      {chosen?.parameters.map((parameter) => (
        <ParameterField key={`${chosen.id} ${parameter.name}`} form={form} parameter={parameter} />
      ))}
      <TenantsField form={form} />
    </ObjectForm>
  );
}

function SizeFields({ form, template }: { readonly form: Form; readonly template: TemplateObject }) {
  return rowsOfSets(template.node_sets).map(({ name, hostClass }) => (
    <OrderedSize key={`${template.id} ${name}`} form={form} set={name} hostClass={hostClass} />
  ));
}

interface OrderedSizeProps {
  readonly form: Form;
  readonly set: string;
  readonly hostClass: string;
}

/** How many hosts of a class, and how many of them are free. */
function OrderedSize({ form, set, hostClass }: OrderedSizeProps) {
  const classes = useNamesOf(hostClassKind);
  const stock = stockWords(useStock(hostClass), form.value(sizePath(set)));
  const name = classes.get(hostClass) ?? hostClass;
  return <SizeField form={form} set={set} hint={stock === '' ? `of class ${name}` : `of class ${name}, ${stock}`} />;
}

/** The template's own sizes, for the person to change. */
function specOf({ id, node_sets: sets }: TemplateObject) {
  return { template: id, node_sets: Object.fromEntries(Object.entries(sets).map(([name, { size }]) => [name, { size }])) };
}
