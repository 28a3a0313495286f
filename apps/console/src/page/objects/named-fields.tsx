import { FormField } from './form-field.tsx';
import { TenantsField } from './tenants-field.tsx';
import type { ObjectForm } from './use-object-form.ts';

interface NamedFieldsProps {
  readonly form: ObjectForm;
  /** Only a new object can be given an id and an owner. */
  readonly isNew: boolean;
}

/** What the kinds have in common that people read about: a name, a title and a description. */
export function NamedFields({ form, isNew }: NamedFieldsProps) {
  return (
    <>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes" isMono />
      {isNew && <FormField form={form} path="id" label="Id" hint="empty: one is made" isMono />}
      <FormField form={form} path="title" label="Title" hint="one line for people" />
      {isNew && <TenantsField form={form} />}
      <div className="form-wide">
        <FormField form={form} path="description" label="Description" kind="long" />
      </div>
    </>
  );
}
