import { Choices, FieldFrame } from '../parts/field-frame.tsx';
import type { DraftPath } from './draft.ts';
import type { ObjectForm } from './use-object-form.ts';

interface FormFieldProps {
  readonly form: ObjectForm;
  /** Where the value is in the draft, and what the API calls the field unless `field` says otherwise. */
  readonly path: DraftPath;
  readonly label: string;
  /** By the API: `spec.node_sets['workers'].size`. */
  readonly field?: string | undefined;
  readonly hint?: string | undefined;
  /** `secret` is never shown; leaving it empty leaves it as it is. */
  readonly kind?: 'text' | 'number' | 'long' | 'yes-no' | 'secret' | undefined;
  /** Makes it a choice: value -> words. */
  readonly choices?: Readonly<Record<string, string>> | undefined;
  readonly isMono?: boolean | undefined;
  readonly isRequired?: boolean | undefined;
  /** Shown in an empty field. */
  readonly placeholder?: string | undefined;
}

/** One field of an object, with the API's own word on it beside. */
export function FormField(props: FormFieldProps) {
  const { form, path, label, hint, kind = 'text', choices, isMono = false, isRequired, placeholder } = props;
  const field = props.field ?? (typeof path === 'string' ? path : path.join('.'));
  const value = form.value(path);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const shared = {
    className: `field${isMono ? ' mono' : ''}`,
    placeholder,
    value: text,
    onBlur: () => form.touch(field),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      form.set(path, valueOf(currentTarget.value, kind)),
  };
  return (
    <FieldFrame label={label} hint={hint} problem={form.problemOf(field)} isCheck={kind === 'yes-no'} isRequired={isRequired}>
      {(control) => {
        if (choices !== undefined) {
          return (
            <select {...control} {...shared}>
              <Choices choices={choices} value={text} />
            </select>
          );
        }
        if (kind === 'long') return <textarea {...control} {...shared} rows={3} />;
        if (kind === 'yes-no') {
          const check = ({ currentTarget }: { readonly currentTarget: { readonly checked: boolean } }): void =>
            form.set(path, currentTarget.checked);
          return <input {...control} type="checkbox" checked={value === true} onBlur={shared.onBlur} onChange={check} />;
        }
        const typed = kind === 'secret' ? ({ type: 'password', autoComplete: 'new-password' } as const) : { type: 'text' };
        return <input {...control} {...shared} {...typed} inputMode={kind === 'number' ? 'numeric' : undefined} />;
      }}
    </FieldFrame>
  );
}

/** A number that is none is sent as it was typed: the API says what is wrong with it. */
function valueOf(typed: string, kind: FormFieldProps['kind']): unknown {
  if (typed === '') return undefined;
  return kind === 'number' && /^-?\d+$/.test(typed) ? Number(typed) : typed;
}
