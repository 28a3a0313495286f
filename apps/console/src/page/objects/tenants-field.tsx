import { useState } from 'react';
import { FieldFrame } from '../parts/field-frame.tsx';
import { useSession } from '../session/session.ts';
import type { ObjectForm } from './use-object-form.ts';

const field = 'metadata.tenants';

/** Whom a new object belongs to: for those who may give it to somebody, or belong to several themselves. */
export function TenantsField({ form }: { readonly form: ObjectForm }) {
  const { isStaff, tenants, defaultTenants } = useSession();
  const [text, setText] = useState('');
  if (!isStaff && tenants.filter((tenant) => tenant !== 'shared').length < 2) return null;
  const hint = isStaff
    ? 'Tenant names, separated by commas. If empty, the object is shared: every tenant sees it.'
    : `Any of ${defaultTenants.join(', ')}. If empty, it belongs to all of them.`;
  const change = (typed: string): void => {
    setText(typed);
    const names = typed.split(/[\s,]+/).filter((name) => name !== '');
    form.set(field, names.length === 0 ? undefined : names);
  };
  return (
    <FieldFrame label="Belongs to" hint={hint} problem={form.problemOf(field)}>
      {(control) => (
        <input
          {...control}
          className="field"
          value={text}
          onBlur={() => form.touch(field)}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}
