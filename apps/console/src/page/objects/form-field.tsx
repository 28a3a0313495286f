import { useId } from 'react';
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
  /** Suggestions that something else may be typed over. */
  readonly suggestions?: readonly string[] | undefined;
  readonly isFixed?: boolean | undefined;
  readonly isMono?: boolean | undefined;
  /** Shown in an empty field. */
  readonly placeholder?: string | undefined;
}

/** One field of an object, with the API's own word on it beside. */
export function FormField(props: FormFieldProps) {
  const { form, path, label, hint, kind = 'text', choices, suggestions, isFixed = false, isMono = false, placeholder } = props;
  const id = useId();
  const field = props.field ?? (typeof path === 'string' ? path : path.join('.'));
  const problem = form.problemOf(field);
  const value = form.value(path);
  const described = problem !== undefined ? `${id}-problem` : hint !== undefined ? `${id}-hint` : undefined;
  const shared = {
    id,
    disabled: isFixed,
    'aria-invalid': problem !== undefined,
    'aria-describedby': described,
    onBlur: () => form.touch(field),
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const change = (typed: string): void => form.set(path, valueOf(typed, kind));
  return (
    <div className={`form-field${kind === 'yes-no' ? ' form-check' : ''}`}>
      <label htmlFor={id}>{label}</label>
      {choices !== undefined ? (
        <select {...shared} className="field" value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {text !== '' && !(text in choices) && <option value={text}>{text}</option>}
          {Object.entries(choices).map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      ) : kind === 'long' ? (
        <textarea
          {...shared}
          className={`field${isMono ? ' mono' : ''}`}
          rows={3}
          value={text}
          placeholder={placeholder}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      ) : kind === 'yes-no' ? (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => form.set(path, currentTarget.checked)}
        />
      ) : (
        <input
          {...shared}
          className={`field${isMono ? ' mono' : ''}`}
          type={kind === 'secret' ? 'password' : 'text'}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          autoComplete={kind === 'secret' ? 'new-password' : 'off'}
          spellCheck={false}
          list={suggestions === undefined ? undefined : `${id}-list`}
          value={text}
          placeholder={placeholder}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {problem === undefined ? (
        hint !== undefined && (
          <p id={`${id}-hint`} className="field-hint">
            {hint}
          </p>
        )
      ) : (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** A number that is none is sent as it was typed: the API says what is wrong with it. */
function valueOf(typed: string, kind: FormFieldProps['kind']): unknown {
  if (typed === '') return undefined;
  return kind === 'number' && /^-?\d+$/.test(typed) ? Number(typed) : typed;
}
