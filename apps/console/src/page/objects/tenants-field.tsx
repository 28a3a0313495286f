import { useId, useState } from 'react';
import { useSession } from '../session/use-session.ts';
import { FieldFrame, frameProps } from './field-frame.tsx';
import type { ObjectForm } from './use-object-form.ts';

/** Whom a new object belongs to: for those who may give it to somebody, or belong to several themselves. */
export function TenantsField({ form }: { readonly form: ObjectForm }) {
  const id = useId();
  const { isStaff, tenants, defaultTenants } = useSession();
  const [text, setText] = useState('');
  if (!isStaff && tenants.filter((tenant) => tenant !== 'shared').length < 2) return null;
  const hint = isStaff
    ? 'Names of tenants, with commas. Left empty it is shared: everybody sees it.'
    : `Some of ${defaultTenants.join(', ')}. Left empty it belongs to all of them.`;
  const problem = form.problemOf('metadata.tenants');
  return (
    <FieldFrame id={id} label="Belongs to" hint={hint} problem={problem}>
      <input
        {...frameProps(id, hint, problem)}
        className="field"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onBlur={() => form.touch('metadata.tenants')}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          const names = currentTarget.value.split(/[\s,]+/).filter((name) => name !== '');
          form.set('metadata.tenants', names.length === 0 ? undefined : names);
        }}
      />
    </FieldFrame>
  );
}
