import { FormField } from './form-field.tsx';
import { TenantsField } from './tenants-field.tsx';
import type { ObjectForm } from './use-object-form.ts';

/** The name, and for those who may choose it the id of a new object. */
export function NameField({ form, hasId = false }: { readonly form: ObjectForm; readonly hasId?: boolean | undefined }) {
  return (
    <>
      <FormField form={form} path="metadata.name" label="Name" hint="a-z, 0-9 and dashes" isMono />
      {hasId && form.isNew && <FormField form={form} path="id" label="Id" hint="generated if empty" isMono />}
    </>
  );
}

/** What the kinds have in common that people read about: a name, a title and a description. */
export function NamedFields({ form }: { readonly form: ObjectForm }) {
  return (
    <>
      <NameField form={form} hasId />
      <FormField form={form} path="title" label="Title" hint="one line, for display" />
      {form.isNew && <TenantsField form={form} />}
      <div className="form-wide">
        <FormField form={form} path="description" label="Description" kind="long" />
      </div>
    </>
  );
}
